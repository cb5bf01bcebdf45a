"""What the tests of this folder share: lookalike tables, a server of files, rows of results."""
