/* PyOpenCL's memory pools: blocks that are held are handed out and come back without Python's own steps, as `_Pool.take` and `give_back` (of the
   face's pool.py) do. New memory, sizes that are no plain numbers, pools that hold nothing any more or tell what they do are left to these. */
#include "calls.h"

#define DEFINE(name) static PyObject *name_##name;
#define POOL_NAMES(N) \
    N(_bins) N(_bits) N(_holding) N(_trace) N(active_blocks) N(active_bytes) N(held_blocks) N(_pool) N(_allocate_in_python)
POOL_NAMES(DEFINE)

static PyObject *pool_type, *block_type;

/* As _Pool._bin_of, of a size that is not 0. */
static uint64_t bin_of(uint64_t size, uint64_t bits)
{
    uint64_t exponent = 63 - (uint64_t)__builtin_clzll(size);
    uint64_t shifted = exponent >= bits ? size >> (exponent - bits) : size << (bits - exponent);
    return exponent << bits | (shifted & ((1ull << bits) - 1));
}

/* The blocks that the pool holds for sizes like this one, a list; NULL, perhaps with an error, where there is no list of them, or the pool is
   Python's to use. */
static PyObject *blocks_for(PyObject *pool, long long size)
{
    enum { MOST_BITS = 32 };
    uint64_t bits, trace;
    if ((void *)pool->type != (void *)pool_type || size <= 0 || !read_word(pool, name__trace, &trace) || trace
        || !read_word(pool, name__bits, &bits) || bits > MOST_BITS)
        return NULL;
    PyObject *number = PyLong_FromSsize_t((Py_ssize_t)bin_of((uint64_t)size, bits)), *bins = number ? get(pool, name__bins) : NULL;
    PyObject *blocks = bins ? PyDict_GetItemWithError(bins, number) : NULL;
    if (blocks)
        Py_IncRef(blocks);
    drop(bins);
    drop(number);
    return blocks;
}

static int count_on(PyObject *pool, PyObject *name, long long change)
{
    PyObject *before = get(pool, name), *now = before ? PyLong_FromSsize_t((Py_ssize_t)(PyLong_AsLongLong(before) + change)) : NULL;
    int done = now && set(pool, name, now);
    drop(before);
    drop(now);
    return done;
}

/* So many blocks, and bytes that were asked for, come into use; fewer where that is less than 0. */
static int count_use(PyObject *pool, int blocks, long long bytes)
{
    return count_on(pool, name_held_blocks, -blocks) && count_on(pool, name_active_blocks, blocks) && count_on(pool, name_active_bytes, bytes);
}

/* MemoryPool.allocate(size) */
static PyObject *allocate(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    long long size = count == 1 && !names && is_int(arguments[0]) ? PyLong_AsLongLong(arguments[0]) : 0;
    PyObject *blocks = PyErr_Occurred() ? NULL : blocks_for(self, size);
    Py_ssize_t held = blocks ? PyList_Size(blocks) : 0;
    PyObject *made = held > 0 ? PyType_GenericAlloc((PyTypeObject *)block_type, 0) : NULL;
    /* To make it may have had Python search for garbage, which gives blocks back, or may take some. */
    held = made ? PyList_Size(blocks) : 0;
    PyObject *block = held > 0 ? PyList_GetItem(blocks, held - 1) : NULL;
    int is_there = block && set(made, name__core, block);
    int done = is_there && !PyList_SetSlice(blocks, held - 1, held, NULL) && count_use(self, 1, size) && set(made, name__size, arguments[0])
        && set(made, name__pool, self);
    drop(blocks);
    if (done)
        return made;
    drop(made);
    if (is_there)
        return NULL;
    forget_error();
    return by_method(self, name__allocate_in_python, arguments, count, names);
}

static int give_back(PyObject *pool, PyObject *self)
{
    PyObject *block = get(self, name__core), *its_size = get(self, name__size);
    long long size = its_size ? PyLong_AsLongLong(its_size) : 0;
    PyObject *blocks = block && is(pool, name__holding, TRUE_) ? blocks_for(pool, size) : NULL;
    int done = blocks && !PyErr_Occurred() && !PyList_Append(blocks, block) && count_use(pool, -1, -size);
    drop(blocks);
    drop(block);
    drop(its_size);
    return done;
}

/* PooledBuffer.__del__ */
static PyObject *let_go(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *pool = peek(self, name__pool);
    int done = pool == NONE;
    if (pool && !done) {
        Py_IncRef(pool);
        done = give_back(pool, self) && set(self, name__pool, NONE);
        Py_DecRef(pool);
    }
    forget_error();
    if (!done)
        return by_method(self, name__let_go_in_python, arguments, count, names);
    Py_IncRef(NONE);
    return NONE;
}

static PyMethodDef definitions[] = {
    { "allocate", allocate, METH_FASTCALL | METH_KEYWORDS, "allocate($self, size)\n--\n\nA block of at least so many bytes." },
    { "__del__", let_go, METH_FASTCALL | METH_KEYWORDS, "__del__($self)\n--\n\nThe block goes back to its pool." },
};

/* pool_methods(MemoryPool, PooledBuffer): see library.py */
PyObject *pool_methods(PyObject *module, PyObject *arguments)
{
    (void)module;
    if (!PyArg_ParseTuple(arguments, "OO", &pool_type, &block_type))
        return NULL;
    Py_IncRef(pool_type); /* for as long as the process lives */
    Py_IncRef(block_type);
    PyObject *methods[] = { PyDescr_NewMethod((PyTypeObject *)pool_type, &definitions[0]),
                            PyDescr_NewMethod((PyTypeObject *)block_type, &definitions[1]) };
    PyObject *both = tuple_of(2, methods);
    drop(methods[0]);
    drop(methods[1]);
    return both;
}

int prepare_pools(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    POOL_NAMES(INTERN)
    return name__pool != NULL;
}
