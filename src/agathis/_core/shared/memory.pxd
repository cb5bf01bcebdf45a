# Memory of plain C structs, for arrays that no NumPy dtype describes.
from libc.stdlib cimport calloc


cdef inline void* zeroed(size_t count, size_t size) except NULL:
    """Allocate zeros, to be given to ``free``; calloc(0) may return NULL without an error."""
    cdef void* memory = calloc(count if count > 0 else 1, size)
    if memory == NULL:
        raise MemoryError
    return memory
