/* What these files take of Python's stable ABI (PEP 384), from 3.10 on: declared here, so that no Python headers are needed, and found by
   the loader in the process that imports the library. */
#ifndef CL2CUDA_NATIVE_PYTHON_H
#define CL2CUDA_NATIVE_PYTHON_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef intptr_t Py_ssize_t;
typedef struct type_object PyTypeObject;
typedef struct { Py_ssize_t references; PyTypeObject *type; } PyObject;
typedef struct thread_state PyThreadState;

typedef struct { const char *name; void *function; int flags; const char *text; } PyMethodDef;
enum { METH_VARARGS = 1, METH_KEYWORDS = 2, METH_NOARGS = 4, METH_FASTCALL = 0x80 };

typedef struct {
    const char *name;
    PyObject *(*get)(PyObject *, void *closure);
    int (*set)(PyObject *, PyObject *value, void *closure);
    const char *text;
    void *closure;
} PyGetSetDef;

typedef struct {
    PyObject head;
    PyObject *(*init)(void);
    Py_ssize_t index;
    PyObject *copy;
    const char *name, *text;
    Py_ssize_t size;
    PyMethodDef *methods;
    void *slots, *traverse, *clear, *free;
} PyModuleDef;
enum { STABLE_ABI = 3 };

typedef struct { int slot; void *function; } PyType_Slot;
typedef struct { const char *name; int basic_size, item_size; unsigned flags; PyType_Slot *slots; } PyType_Spec;
enum { Py_tp_call = 50, Py_tp_dealloc = 52, Py_tp_descr_get = 54, Py_tp_descr_set = 55, Py_tp_hash = 59, Py_tp_methods = 64,
    Py_tp_richcompare = 67 };
enum { Py_TPFLAGS_DISALLOW_INSTANTIATION = 1 << 7, Py_TPFLAGS_BASETYPE = 1 << 10, Py_TPFLAGS_DEFAULT = 1 << 18 };
enum { Py_EQ = 2, Py_NE = 3 };

extern PyObject _Py_NoneStruct, _Py_TrueStruct, _Py_FalseStruct, _Py_NotImplementedStruct;
extern char PyTuple_Type, PyList_Type, PyLong_Type, PyUnicode_Type;
extern PyObject *PyExc_Exception, *PyExc_TypeError;

/* Py_buffer, in the stable ABI from 3.11 on, and the same in 3.10. */
typedef struct {
    void *memory;
    PyObject *owner;
    Py_ssize_t size, item_size;
    int is_readonly, dimensions;
    char *format;
    Py_ssize_t *shape, *strides, *suboffsets;
    void *internal;
} Py_buffer;
enum { PyBUF_WRITABLE = 0x1, PyBUF_ANY_CONTIGUOUS = 0x80 | 0x10 | 0x8 };
int PyObject_GetBuffer(PyObject *, Py_buffer *, int flags);
void PyBuffer_Release(Py_buffer *);

void Py_IncRef(PyObject *);
void Py_DecRef(PyObject *);
PyObject *PyModule_Create2(PyModuleDef *, int abi);
PyObject *PyType_FromSpec(PyType_Spec *);
int PyType_IsSubtype(PyTypeObject *, PyTypeObject *);
PyObject *PyType_GenericAlloc(PyTypeObject *, Py_ssize_t);
void PyObject_Free(void *);
PyObject *PyDescr_NewMethod(PyTypeObject *, PyMethodDef *);
PyObject *PyDescr_NewGetSet(PyTypeObject *, PyGetSetDef *);
PyObject *PyCFunction_NewEx(PyMethodDef *, PyObject *self, PyObject *module);
int PyArg_ParseTuple(PyObject *, const char *, ...);
PyObject *PyUnicode_InternFromString(const char *);
PyObject *PyImport_ImportModule(const char *);
PyObject *PyObject_GetAttr(PyObject *, PyObject *name);
PyObject *PyObject_GetAttrString(PyObject *, const char *name);
int PyObject_SetAttr(PyObject *, PyObject *name, PyObject *value);
Py_ssize_t PyObject_Size(PyObject *);
PyObject *PyObject_GenericGetDict(PyObject *, void *);
PyObject *PyObject_CallNoArgs(PyObject *);
PyObject *PyObject_Call(PyObject *, PyObject *arguments, PyObject *keywords);
PyObject *PyObject_CallFunction(PyObject *, const char *, ...);
PyObject *PyObject_CallMethod(PyObject *, const char *name, const char *, ...);
PyObject *PyDict_New(void);
Py_ssize_t PyDict_Size(PyObject *);
void PyDict_Clear(PyObject *);
int PyDict_SetItem(PyObject *, PyObject *key, PyObject *value);
int PyDict_DelItem(PyObject *, PyObject *key);
PyObject *PyDict_GetItemWithError(PyObject *, PyObject *key);
PyObject *PyWeakref_NewRef(PyObject *, PyObject *callback);
PyObject *PyWeakref_GetObject(PyObject *);
PyObject *PyTuple_New(Py_ssize_t);
PyObject *PySequence_GetItem(PyObject *, Py_ssize_t);
char *PyBytes_AsString(PyObject *);
Py_ssize_t PyBytes_Size(PyObject *);
PyObject *PyBytes_FromStringAndSize(const char *, Py_ssize_t);
int PyTuple_SetItem(PyObject *, Py_ssize_t, PyObject *);
PyObject *PyTuple_GetItem(PyObject *, Py_ssize_t);
Py_ssize_t PyTuple_Size(PyObject *);
PyObject *PyList_GetItem(PyObject *, Py_ssize_t);
PyObject *PyList_AsTuple(PyObject *);
PyObject *PyList_GetSlice(PyObject *, Py_ssize_t from, Py_ssize_t to);
Py_ssize_t PyList_Size(PyObject *);
PyObject *PyList_New(Py_ssize_t);
int PyList_Append(PyObject *, PyObject *item);
int PyList_SetSlice(PyObject *, Py_ssize_t from, Py_ssize_t to, PyObject *items);
PyObject *PyLong_FromSsize_t(Py_ssize_t);
Py_ssize_t PyLong_AsSsize_t(PyObject *);
long long PyLong_AsLongLong(PyObject *);
int PyIndex_Check(PyObject *);
unsigned long long PyLong_AsUnsignedLongLong(PyObject *);
PyObject *PyNumber_Index(PyObject *);
double PyFloat_AsDouble(PyObject *);
Py_ssize_t PySet_Size(PyObject *);
int PySet_Contains(PyObject *, PyObject *key);
int PySet_Add(PyObject *, PyObject *key);
int PySet_Discard(PyObject *, PyObject *key);
PyObject *PyErr_Occurred(void);
void PyErr_Fetch(PyObject **, PyObject **, PyObject **);
void PyErr_Restore(PyObject *, PyObject *, PyObject *);
void PyErr_Clear(void);
int PyErr_ExceptionMatches(PyObject *);
void PyErr_Fetch(PyObject **type, PyObject **value, PyObject **trace);
void PyErr_Restore(PyObject *type, PyObject *value, PyObject *trace);
PyObject *PyErr_NoMemory(void);
void PyErr_SetString(PyObject *, const char *);
int Py_AddPendingCall(int (*)(void *), void *);
unsigned long PyThread_get_thread_ident(void);
int PyThreadState_SetAsyncExc(unsigned long thread, PyObject *type);
PyThreadState *PyEval_SaveThread(void);
void PyEval_RestoreThread(PyThreadState *);

#endif
