"""How a tree is grown: which leaf is cut next, when growth ends, what gains are made of.

:mod:`~agathis._growing.grower` grows a tree within its :mod:`~agathis._growing.limits`, from a
single leaf or from a tree that is there (:mod:`~agathis._growing.replay`). Gains come from one of
the :mod:`~agathis._growing.engines`.
"""
