"""Greedy growth of a tree.

:mod:`~agathis._growing.grower` grows a tree within its :mod:`~agathis._growing.limits`, from a
single leaf or from an existing tree (:mod:`~agathis._growing.replay`). Gains are computed by one
of the :mod:`~agathis._growing.engines`.
"""
