"""Kernel values, and rows as points of a kernel's space."""
