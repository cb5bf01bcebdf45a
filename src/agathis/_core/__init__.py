"""The compiled core: what an engine does for every sample, in Cython with inner loops in C.

``shared`` is what the engines have in common, ``pairwise`` and ``points`` grow trees, ``centres``
and ``separation`` serve the baselines, ``search`` improves trees. Each of these five imports from
``shared`` and from itself alone.
"""
