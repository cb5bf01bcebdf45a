"""Compiled: a tree that a search changes with the cuts of its nodes, and the proof of the best."""
