"""Reproduction of the paper: its data sets, its experiments, and their tests.

``python -m paper run`` from the root of the repository, or ``make paper``. The wheel does not
contain this folder.
"""
