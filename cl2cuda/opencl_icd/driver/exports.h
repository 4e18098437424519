/* The functions that are answered without Python, and the tables that the generated file has. */
#ifndef CL2CUDA_EXPORTS_H
#define CL2CUDA_EXPORTS_H

#include "answers.h"
#include "arguments.h"
#include "buffers.h"
#include "callbacks.h"
#include "commands.h"
#include "descriptions.h"
#include "destructors.h"
#include "events.h"
#include "facts.h"
#include "images.h"
#include "kernels.h"
#include "maps.h"
#include "programs.h"
#include "svm.h"
#include "user_events.h"

struct name {
    const char *name;
    const void *function;
    struct entry *entry; /* NULL where nothing else has to answer */
    int is_extension;
};

extern const struct name names[];

int32_t clGetPlatformIDs_(uint32_t room, struct object **platforms, uint32_t *count);
int32_t clIcdGetPlatformIDsKHR_(uint32_t room, struct object **platforms, uint32_t *count);
void *clGetExtensionFunctionAddress_(const char *name);
void *clGetExtensionFunctionAddressForPlatform_(struct object *platform, const char *name);
void *clIcdGetFunctionAddressForPlatformKHR_(struct object *platform, const char *name);
int32_t clIcdSetPlatformDispatchDataKHR_(struct object *platform, void *data);
int32_t clUnloadCompiler_(void);

#endif
