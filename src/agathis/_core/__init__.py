"""The compiled core: what an engine does for every sample, in Cython with inner loops in C.

``shared`` is what the engines have in common, ``pairs`` and ``points`` grow trees, ``centres`` and
``separation`` serve rivals, ``search`` looks for better trees. Each of these five imports from
``shared`` and from itself alone.
"""
