/* PyOpenCL's memory pools, of buffers and of shared virtual memory: blocks that are held are handed out and come back without Python's
   own steps, as `_Pool.take` and `give_back` (of the face's pool.py) do. New memory, sizes that are no plain numbers, pools that hold
   nothing any more or tell what they do, and shared memory that another queue than its pool's may still use, are left to these. */
#include "calls.h"

#define DEFINE(name) static PyObject *name_##name;
#define POOL_NAMES(N) \
    N(_bins) N(_bits) N(_holding) N(_trace) N(active_blocks) N(active_bytes) N(held_blocks) N(_pool) N(_live) N(_allocate_in_python)
POOL_NAMES(DEFINE)

/* The classes of pools and of their blocks. */
static struct pool_kind {
    PyObject *pool, *block;
} of_buffers, of_shared_memory;

static const struct pool_kind *kind_of(const PyObject *pool)
{
    return (void *)pool->type == (void *)of_buffers.pool ? &of_buffers
         : (void *)pool->type == (void *)of_shared_memory.pool ? &of_shared_memory : NULL;
}

/* As _Pool._bin_of, of a size that is not 0. */
static uint64_t bin_of(uint64_t size, uint64_t bits)
{
    uint64_t exponent = 63 - (uint64_t)__builtin_clzll(size);
    uint64_t shifted = exponent >= bits ? size >> (exponent - bits) : size << (bits - exponent);
    return exponent << bits | (shifted & ((1ull << bits) - 1));
}

/* The blocks that the pool holds for sizes like this one, a list; NULL, perhaps with an error, where there is no list of them, or the
   pool is Python's to use. */
static PyObject *blocks_for(PyObject *pool, long long size)
{
    enum { MOST_BITS = 32 };
    uint64_t bits, trace;
    if (!kind_of(pool) || size <= 0 || !read_word(pool, name__trace, &trace) || trace
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
    return count_on(pool, name_held_blocks, -blocks) && count_on(pool, name_active_blocks, blocks)
        && count_on(pool, name_active_bytes, bytes);
}

/* What else a new block has. */
static int belong(PyObject *block, PyObject *pool, PyObject *size)
{
    if (!set(block, name__size, size) || !set(block, name__pool, pool))
        return 0;
    if (kind_of(pool) == &of_buffers)
        return 1;
    PyObject *queue = get(pool, name__queue);
    int done = queue && set(block, name__queue, queue) && set(block, name__live, TRUE_);
    drop(queue);
    return done;
}

/* MemoryPool.allocate(size), SVMPool.__call__(size) */
static PyObject *allocate(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    long long size = count == 1 && !names && is_int(arguments[0]) ? PyLong_AsLongLong(arguments[0]) : 0;
    PyObject *blocks = PyErr_Occurred() ? NULL : blocks_for(self, size);
    Py_ssize_t held = blocks ? PyList_Size(blocks) : 0;
    PyObject *made = held > 0 ? PyType_GenericAlloc((PyTypeObject *)kind_of(self)->block, 0) : NULL;
    /* To make it may have had Python search for garbage, which gives blocks back, or may take some. */
    held = made ? PyList_Size(blocks) : 0;
    PyObject *block = held > 0 ? PyList_GetItem(blocks, held - 1) : NULL;
    int is_there = block && set(made, name__core, block);
    int done = is_there && !PyList_SetSlice(blocks, held - 1, held, NULL) && count_use(self, 1, size) && belong(made, self, arguments[0]);
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

/* What `__del__` gives: what is not done is Python's. */
static PyObject *after_let_go(int done, PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    forget_error();
    if (!done)
        return by_method(self, name__let_go_in_python, arguments, count, names);
    Py_IncRef(NONE);
    return NONE;
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
    return after_let_go(done, self, arguments, count, names);
}

/* Whether the next user of shared memory finds it as it is: nobody else's queue is behind. */
static int is_at_rest(PyObject *block, PyObject *pool)
{
    const PyObject *queue = peek(block, name__queue);
    return queue && (queue == NONE || queue == peek(pool, name__queue));
}

/* PooledSVM.__del__ */
static PyObject *let_shared_memory_go(PyObject *self, PyObject *const *arguments, Py_ssize_t count, PyObject *names)
{
    PyObject *live = peek(self, name__live), *pool = peek(self, name__pool);
    int done = live == FALSE_;
    if (live && pool && !done) {
        Py_IncRef(pool);
        done = is_at_rest(self, pool) && give_back(pool, self) && set(self, name__live, FALSE_);
        Py_DecRef(pool);
    }
    return after_let_go(done, self, arguments, count, names);
}

#define TAKES "($self, size)\n--\n\nA block of at least so many bytes."
#define LETS_GO "__del__($self)\n--\n\nThe block goes back to its pool."
static PyMethodDef definitions[] = {
    { "allocate", allocate, METH_FASTCALL | METH_KEYWORDS, "allocate" TAKES },
    { "__del__", let_go, METH_FASTCALL | METH_KEYWORDS, LETS_GO },
}, definitions_of_shared_memory[] = {
    { "__call__", allocate, METH_FASTCALL | METH_KEYWORDS, "__call__" TAKES },
    { "__del__", let_shared_memory_go, METH_FASTCALL | METH_KEYWORDS, LETS_GO },
};

static PyObject *methods_of(struct pool_kind *kind, PyMethodDef *defined, PyObject *arguments)
{
    if (!PyArg_ParseTuple(arguments, "OO", &kind->pool, &kind->block))
        return NULL;
    Py_IncRef(kind->pool); /* for as long as the process lives */
    Py_IncRef(kind->block);
    return both_of(PyDescr_NewMethod((PyTypeObject *)kind->pool, &defined[0]), PyDescr_NewMethod((PyTypeObject *)kind->block, &defined[1]));
}

/* pool_methods(MemoryPool, PooledBuffer): see library.py */
PyObject *pool_methods(PyObject *module, PyObject *arguments)
{
    (void)module;
    return methods_of(&of_buffers, definitions, arguments);
}

/* shared_pool_methods(SVMPool, PooledSVM): see library.py */
PyObject *shared_pool_methods(PyObject *module, PyObject *arguments)
{
    (void)module;
    return methods_of(&of_shared_memory, definitions_of_shared_memory, arguments);
}

int prepare_pools(void)
{
#define INTERN(name) name_##name = PyUnicode_InternFromString(#name);
    POOL_NAMES(INTERN)
    return name__pool != NULL;
}
