"""The commands, one a file: each parses, calls the library and prints."""
