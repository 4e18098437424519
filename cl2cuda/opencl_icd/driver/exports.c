#define _GNU_SOURCE
#include "exports.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

/* "CL_PLATFORM_NOT_FOUND_KHR if zero platforms are available" */
int32_t clGetPlatformIDs_(uint32_t room, struct object **platforms, uint32_t *count)
{
    if ((platforms && !room) || (!platforms && !count))
        return INVALID_VALUE;
    int found = python_started() && platform_object;
    if (platforms && found)
        platforms[0] = platform_object;
    if (count)
        *count = found;
    return found ? SUCCESS : -1001;
}

static const struct name *find(const char *wanted)
{
    if (wanted)
        for (const struct name *each = names; each->name; each++)
            if (!strcmp(each->name, wanted))
                return each;
    return NULL;
}

/* "A non-NULL return value [...] does not guarantee that an extension function is actually supported": here it does. */
void *clGetExtensionFunctionAddress_(const char *name)
{
    const struct name *found = python_started() ? find(name) : NULL;
    return found && found->is_extension && (!found->entry || is_answered(found->entry)) ? (void *)found->function : NULL;
}

void *clGetExtensionFunctionAddressForPlatform_(struct object *of, const char *name)
{
    return is_object(of, PLATFORM) ? clGetExtensionFunctionAddress_(name) : NULL;
}

/* Every function that this library has, for loaders of cl_khr_icd 2.0. */
void *clIcdGetFunctionAddressForPlatformKHR_(struct object *of, const char *name)
{
    const struct name *found = is_object(of, PLATFORM) ? find(name) : NULL;
    return found ? (void *)found->function : NULL;
}

int32_t clIcdSetPlatformDispatchDataKHR_(struct object *of, void *data)
{
    if (!is_object(of, PLATFORM))
        return invalid(PLATFORM);
    loader_data = of->loader_data = data; /* Devices and all others are made later. */
    return SUCCESS;
}

int32_t clIcdGetPlatformIDsKHR_(uint32_t room, struct object **platforms, uint32_t *count)
{
    return clGetPlatformIDs_(room, platforms, count);
}

int32_t clUnloadCompiler_(void)
{
    return SUCCESS;
}

/* What loaders look up by name; everything else goes through the dispatch table. `HERE` is the function itself, but in a namespace of the
   linker's own (dlmopen), where no Python can start: there it is that of the copy in the program's namespace. */
#define HERE(name) ((__typeof__(&name))in_programs_namespace(#name, (void *)name##_))

static void *copy; /* this library in the program's namespace, if it is in another itself */

static void find_copy(void)
{
#ifdef __GLIBC__
    const char *path = path_in_other_namespace();
    if (path)
        copy = dlmopen(LM_ID_BASE, path, RTLD_NOW);
#endif
}

static void *in_programs_namespace(const char *name, void *own)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_copy);
    return copy ? dlsym(copy, name) : own;
}

EXPORT int32_t clIcdGetPlatformIDsKHR(uint32_t room, struct object **platforms, uint32_t *count)
{
    return HERE(clIcdGetPlatformIDsKHR)(room, platforms, count);
}

static int32_t clGetPlatformInfo_(struct object *of, uint32_t query, size_t room, void *value, size_t *size)
{
    return ((int32_t (*)(struct object *, uint32_t, size_t, void *, size_t *))find("clGetPlatformInfo")->function)(
        of, query, room, value, size);
}

EXPORT int32_t clGetPlatformInfo(struct object *of, uint32_t query, size_t room, void *value, size_t *size)
{
    return HERE(clGetPlatformInfo)(of, query, room, value, size);
}

/* Some loaders find the functions of cl_khr_icd by this one. */
static void *find_extension(const char *name)
{
    const struct name *found = find(name);
    return found && !strncmp(name, "clIcd", 5) ? (void *)found->function : clGetExtensionFunctionAddress_(name);
}

EXPORT void *clGetExtensionFunctionAddress(const char *name)
{
    return ((void *(*)(const char *))in_programs_namespace("clGetExtensionFunctionAddress", (void *)find_extension))(name);
}

EXPORT void *clIcdGetFunctionAddressForPlatformKHR(struct object *of, const char *name)
{
    return HERE(clIcdGetFunctionAddressForPlatformKHR)(of, name);
}

EXPORT int32_t clIcdSetPlatformDispatchDataKHR(struct object *of, void *data)
{
    return HERE(clIcdSetPlatformDispatchDataKHR)(of, data);
}

#ifdef WITH_API
/* Where there is no loader, this library is one: the generated file has the other functions of the API. */

EXPORT int32_t clGetPlatformIDs(uint32_t room, struct object **platforms, uint32_t *count)
{
    return clGetPlatformIDs_(room, platforms, count);
}

EXPORT void *clGetExtensionFunctionAddressForPlatform(struct object *of, const char *name)
{
    return clGetExtensionFunctionAddressForPlatform_(of, name);
}

EXPORT int32_t clUnloadCompiler(void)
{
    return clUnloadCompiler_();
}
#endif
