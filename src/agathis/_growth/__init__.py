"""Greedy growth of a tree.

:mod:`~agathis._growth.grower` grows a tree within its :mod:`~agathis._growth.limits`, from a
single leaf or from an existing tree (:mod:`~agathis._growth.warm_start`). Gains are computed by one
of the :mod:`~agathis._growth.engines`.
"""
