"""What every engine uses: gains, moves, the scan of a tile, samples in order, threads."""
