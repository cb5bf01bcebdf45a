"""What every room may use: names imported late, progress, whole files, printed tables."""
