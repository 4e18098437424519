/* Finding, starting and entering Python.

   A process that holds a Python already, as one that runs stock PyOpenCL, keeps its own. Else the file beside the library
   (libcl2cuda.so.python) says which libpython to load, and which program it is to take itself for: that is how Python finds its
   virtual environment. An interpreter that was started here is never ended: OpenCL may be called until the process has gone. */
#define _GNU_SOURCE
#include "callbacks.h"
#include "held.h"

#include "floating_point.h"

#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct python py;
PyObject *comes_again;
uint64_t python_entries;
int python_was_told_of_exit;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int started, ours, traces;
static pthread_key_t thread_key;
static __thread int thread_is_kept;
static __thread int forking_state;
static __thread int forks;

static void complain(const char *what, const char *why)
{
    fprintf(stderr, "cl2cuda: its OpenCL driver cannot start: %s%s%s\n", what, *why ? ": " : "", why);
}

static int look_up(void *library)
{
#define LOOK_UP(result, name, parameters) \
    *(void **)&py.name = dlsym(library, #name); \
    if (!py.name) { complain("Python lacks", #name); return 0; }
    PYTHON_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    *(void **)&py.Py_SetProgramName = dlsym(library, "Py_SetProgramName");
    py.Py_NoSiteFlag = dlsym(library, "Py_NoSiteFlag");
    *(void **)&py.Py_IsFinalizing = dlsym(library, "Py_IsFinalizing");
    if (!py.Py_IsFinalizing)
        *(void **)&py.Py_IsFinalizing = dlsym(library, "_Py_IsFinalizing");
    py.none = dlsym(library, "_Py_NoneStruct");
    int minor = 0;
    if (!py.none || sscanf(py.Py_GetVersion(), "3.%d", &minor) != 1 || minor < 10) {
        complain("it needs Python 3.10 or newer, the process holds", py.Py_GetVersion());
        return 0;
    }
    return 1;
}

/* A libpython that was loaded without making its names global, as plug-ins are. */
static int find_library(struct dl_phdr_info *info, size_t size, void *found)
{
    (void)size;
    const char *base = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;
    if (base && !strncmp(base, "/libpython3.", 12)) {
        *(void **)found = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_NOW | RTLD_GLOBAL);
        return 1;
    }
    return 0;
}

/* Whether there is one, and where its names are: RTLD_DEFAULT, which may be 0, where the program itself holds it, as Debian's does. */
static int python_in_process(void **library)
{
    *library = RTLD_DEFAULT;
    if (dlsym(RTLD_DEFAULT, "Py_IsInitialized"))
        return 1;
    *library = NULL;
    dl_iterate_phdr(find_library, library);
    return *library != NULL;
}

/* The lines of the file beside the library: the libpython, the interpreter's program, then folders for sys.path. */
enum { LINES = 16 };
static char *lines[LINES];
static int line_count;

static int read_environment(void)
{
    Dl_info self;
    char path[4096];
    if (!dladdr((void *)&read_environment, &self) || !realpath(self.dli_fname, path) || strlen(path) + 8 > sizeof path)
        return 0;
    strcat(path, ".python");
    FILE *file = fopen(path, "r");
    if (!file) {
        complain("no such file", path);
        return 0;
    }
    char line[4096];
    while (line_count < LINES && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        lines[line_count++] = strdup(line);
    }
    fclose(file);
    return line_count >= 2;
}

static int load_python(void)
{
    void *library = *lines[0] ? dlopen(lines[0], RTLD_NOW | RTLD_GLOBAL) : NULL;
    if (!library) {
        complain("no libpython can be loaded", *lines[0] ? dlerror() : "this Python has none that programs can share");
        return 0;
    }
    return look_up(library);
}

/* Python ends the process where its standard input is a directory: that of a loader, say, which looks for drivers in a process that has
   closed its streams. It is told of another one. */
static void initialize(void)
{
#ifdef __GLIBC__
    struct stat about;
    FILE *given = stdin, *nothing = NULL;
    if (!fstat(0, &about) && S_ISDIR(about.st_mode) && (nothing = fopen("/dev/null", "r")))
        stdin = nothing;
    py.Py_InitializeEx(0);
    if (nothing)
        stdin = given;
#else
    py.Py_InitializeEx(0);
#endif
}

static void start_python(void)
{
    if (py.Py_SetProgramName) {
        size_t length = mbstowcs(NULL, lines[1], 0);
        static wchar_t *program; /* Python keeps the pointer. */
        if (length != (size_t)-1 && (program = malloc((length + 1) * sizeof *program))) {
            mbstowcs(program, lines[1], length + 1);
            py.Py_SetProgramName(program);
        }
    }
    /* Python takes the user's locale; the application's choice stays as it is. */
    const char *now = setlocale(LC_CTYPE, NULL);
    char *locale = now ? strdup(now) : NULL;
    if (py.Py_NoSiteFlag)
        *py.Py_NoSiteFlag = 1; /* see find_packages */
    initialize();
    if (locale)
        setlocale(LC_CTYPE, locale);
    free(locale);
    ours = 1;
}

static int append_paths(void)
{
    PyObject *sys = py.PyImport_ImportModule("sys");
    PyObject *path = sys ? py.PyObject_GetAttrString(sys, "path") : NULL;
    int done = path != NULL;
    for (int i = 2; done && i < line_count; i++) {
        PyObject *there = py.PyObject_CallMethod(path, "__contains__", "s", lines[i]);
        done = there != NULL;
        if (done && !py.PyLong_AsUnsignedLongLongMask(there)) {
            PyObject *appended = py.PyObject_CallMethod(path, "append", "s", lines[i]);
            done = appended != NULL;
            if (appended)
                py.Py_DecRef(appended);
        }
        if (there)
            py.Py_DecRef(there);
    }
    if (path)
        py.Py_DecRef(path);
    if (sys)
        py.Py_DecRef(sys);
    return done;
}

/* A module's function that takes nothing; 0 with Python's error set. */
static int call(const char *module_name, const char *function)
{
    PyObject *module = py.PyImport_ImportModule(module_name);
    PyObject *result = module ? py.PyObject_CallMethod(module, function, NULL) : NULL;
    if (module)
        py.Py_DecRef(module);
    if (result)
        py.Py_DecRef(result);
    return result != NULL;
}

/* What Python's own start would have done (site_packages.py). */
static int find_packages(void)
{
    return !ours || !py.Py_NoSiteFlag || call("cl2cuda.opencl_icd.site_packages", "find");
}

static int import_package(void)
{
    PyObject *module = append_paths() && find_packages() ? py.PyImport_ImportModule("cl2cuda.opencl_icd.start") : NULL;
    PyObject *start = module ? py.PyObject_GetAttrString(module, "start") : NULL;
    int done = start && connect_package(start, ours);
    if (!done) {
        complain("its Python package reports", "");
        py.PyErr_Print();
    }
    if (start)
        py.Py_DecRef(start);
    if (module)
        py.Py_DecRef(module);
    return done;
}

/* A fork in C: the child gets an interpreter whose lock is its own. Where Python itself forks, it sees to that. */
static void before_fork(void)
{
    forks = started && ours && !py.PyGILState_Check();
    if (forks) {
        forking_state = py.PyGILState_Ensure();
        py.PyOS_BeforeFork();
    }
    hold_objects();
    lock_held();
    lock_watchers();
}

static void after_fork_in_parent(void)
{
    unlock_watchers();
    unlock_held();
    let_objects_go();
    if (forks) {
        py.PyOS_AfterFork_Parent();
        py.PyGILState_Release(forking_state);
        forks = 0;
    }
}

static void after_fork_in_child(void)
{
    forget_taken();
    forget_watchers();
    unlock_watchers();
    unlock_held();
    let_objects_go();
    begin_objects_anew();
    if (forks) {
        py.PyOS_AfterFork_Child();
        py.PyGILState_Release(forking_state);
        forks = 0;
    }
}

int python_alive(void)
{
    return started && py.Py_IsInitialized() && !(py.Py_IsFinalizing && py.Py_IsFinalizing());
}

/* A thread of the application that has ended gives back what Python kept for it. Python's own note of it may be gone by now. */
static void end_thread(void *thread)
{
    if (python_alive()) {
        py.PyEval_RestoreThread(thread);
        py.PyThreadState_Clear(thread);
        py.PyThreadState_DeleteCurrent();
    }
}

static void end(void)
{
    int state;
    if (python_was_told_of_exit || !python_enter(&state))
        return;
    python_was_told_of_exit = 1;
    if (!call("cl2cuda.opencl_icd.start", "end"))
        py.PyErr_Print();
    python_leave(state);
}

/* A Python that a program in C started is never finalized, so nothing else tells the package. */
void end_at_exit(void)
{
    static int registered;
    if (started && ours && (traces || !registered++))
        atexit(end);
}

/* CUDA's own start, a tenth of a second in which it needs no Python, begins before Python's. The package calls it again, which waits for
   it (runtime/cuda/initialization.py), and hears what it has to say. */
static void *start_cuda(void *unused)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    int (*initialize)(unsigned) = NULL;
    if (library)
        *(void **)&initialize = dlsym(library, "cuInit");
    if (initialize)
        initialize(0);
    return unused;
}

/* As choice.may_be("cuda") has it (runtime/devices/choice.py). */
static int may_be_cuda(void)
{
    const char *chosen = getenv("CL2CUDA_DEVICE");
    return !chosen || !*chosen || !strcasecmp(chosen, "cuda") || !strcasecmp(chosen, "all");
}

/* Of the thread: how often it has entered Python and not left, how it computes outside, and the exceptions that were on their way then. */
static __thread int depth;
static __thread struct floating_point outside;
static __thread struct exception {
    int depth;
    PyObject *type, *value, *trace;
    struct exception *before;
} *aside;

static void set_exception_aside(void)
{
    struct exception *found;
    if (!depth++)
        outside = begin_floating_point();
    if (!py.PyErr_Occurred() || !(found = malloc(sizeof *found)))
        return;
    *found = (struct exception){ .depth = depth, .before = aside };
    py.PyErr_Fetch(&found->type, &found->value, &found->trace);
    aside = found;
}

static void take_exception_up(void)
{
    struct exception *found = aside;
    if (found && found->depth == depth) {
        aside = found->before;
        py.PyErr_Restore(found->type, found->value, found->trace);
        free(found);
    }
    if (!--depth)
        end_floating_point(outside);
}

static int raise_again(void *taken)
{
    struct exception found = *(struct exception *)taken;
    free(taken);
    py.PyErr_Restore(found.type, found.value, found.trace);
    return -1;
}

int comes_later(PyObject *type, PyObject *value, PyObject *trace)
{
    /* A Python that was started here runs nothing but the package. */
    PyObject *answer = ours || !value ? NULL : py.PyObject_CallFunction(comes_again, "OO", value, trace ? trace : py.none);
    struct exception *found = answer && py.PyLong_AsUnsignedLongLongMask(answer) ? malloc(sizeof *found) : NULL;
    if (answer)
        py.Py_DecRef(answer);
    py.PyErr_Clear();
    if (!found)
        return 0;
    *found = (struct exception){ .type = type, .value = value, .trace = trace };
    if (!py.Py_AddPendingCall(raise_again, found))
        return 1;
    free(found);
    return 0;
}

void drop_exception(int prints)
{
    PyObject *type = NULL, *value = NULL, *trace = NULL;
    py.PyErr_Fetch(&type, &value, &trace);
    py.PyErr_NormalizeException(&type, &value, &trace);
    if (type && comes_later(type, value, trace))
        return;
    py.PyErr_Restore(type, value, trace);
    if (prints)
        py.PyErr_Print();
    else
        py.PyErr_Clear();
}

const char *path_in_other_namespace(void)
{
#ifdef __GLIBC__
    Dl_info self;
    Lmid_t space;
    void *library = dladdr((void *)&started, &self) ? dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (library && !dlinfo(library, RTLD_DI_LMID, &space) && space != LM_ID_BASE)
        return self.dli_fname;
#endif
    return NULL;
}

static void start_package(void)
{
    if (path_in_other_namespace()) { /* Its C library cannot make a library's names global, which Python's own modules need. */
        complain("dlmopen has loaded it into a namespace of its own", "a program may load libcl2cuda.so so, or use dlopen");
        return;
    }
    int has_environment = read_environment();
    void *process;
    if (python_in_process(&process) ? !look_up(process) : !(has_environment && load_python()))
        return;
    if (!py.Py_IsInitialized()) {
        if (!has_environment)
            return;
        start_python();
    }
    int state = ours ? 0 : py.PyGILState_Ensure();
    set_exception_aside();
    started = import_package();
    take_exception_up();
    if (ours)
        py.PyEval_SaveThread();
    else
        py.PyGILState_Release(state);
    const char *trace = getenv("CL2CUDA_TRACE");
    traces = trace && *trace;
    if (traces) /* also of a program that makes no queue */
        end_at_exit();
    pthread_key_create(&thread_key, end_thread);
    pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

static void start_once(void)
{
    pthread_t cuda;
    struct floating_point programs = begin_floating_point();
    int begun = may_be_cuda() && !pthread_create(&cuda, NULL, start_cuda, NULL);
    start_package();
    if (begun) /* A program that ends or forks now must not do so in the middle of it. */
        pthread_join(cuda, NULL);
    end_floating_point(programs);
}

int python_started(void)
{
    pthread_once(&once, start_once);
    return started;
}

int python_enter_at_end(int *state)
{
    if (!started || !py.Py_IsFinalizing || !py.Py_IsFinalizing() || !py.PyGILState_GetThisThreadState() || !py.PyGILState_Check())
        return 0;
    *state = py.PyGILState_Ensure();
    set_exception_aside();
    return 1;
}

int python_enter(int *state)
{
    if (!python_started() || !python_alive())
        return 0;
    if (!thread_is_kept && !py.PyGILState_GetThisThreadState()) {
        /* Python would make and drop what it keeps for a thread with each call: this first one is held until the thread ends. */
        py.PyGILState_Ensure();
        py.PyEval_SaveThread();
        thread_is_kept = 1;
        pthread_setspecific(thread_key, py.PyGILState_GetThisThreadState());
    }
    *state = py.PyGILState_Ensure();
    set_exception_aside();
    return 1;
}

void python_leave(int state)
{
    __atomic_add_fetch(&python_entries, 1, __ATOMIC_RELEASE);
    take_exception_up();
    py.PyGILState_Release(state);
}
