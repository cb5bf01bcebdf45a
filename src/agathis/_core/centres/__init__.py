"""Cuts between given centres, and what rows cost with them."""
