"""Validation of user input: data, kernels, parameters, labels."""
