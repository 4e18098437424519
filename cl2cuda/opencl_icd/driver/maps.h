/* Maps of memory objects without Python, and what commands on images go by.

   Python has listed of what the library has mapped only what it was asked about: whoever gives it a memory object tells it of that one's
   region first (core_of). */
#ifndef CL2CUDA_MAPS_H
#define CL2CUDA_MAPS_H

#include "access.h"
#include "answers.h"
#include "boxes.h"
#include "commands.h"

/* Whether mapped memory is the contents themselves, a copy in memory that CUDA has page-locked, or one in other memory of the application's. */
enum mapped_side { IN_PLACE, AS_COPY, AS_PAGEABLE_COPY };

/* A region that is mapped: of a buffer the box has one row of bytes. */
struct region {
    uint64_t address, flags, side; /* of enum mapped_side */
    struct box box;
};

/* Whether a region is mapped by the library, of which there is one at most. */
enum mapped { NOT_MAPPED, CHANGING, MAPPED };

/* What Python has told of a memory object that it has given commands for, or mapped (native_commands.contents_of): how many regions of it
   are mapped by Python, which enum mapped_side mapped memory is, and where it is: 0 where maps are Python's; the address of a word that says
   how many maps are left until it is page-locked (Storage.maps_left), or 0. An image's format is 0 where fills are. */
struct contents {
    struct known_contents {
        uint64_t by_python, side, maps_left;
        struct linear host;
        uint64_t format;
        struct array array; /* of an image */
    } known;
    uint32_t state; /* of enum mapped */
    struct region region;
};

/* The package's functions. */
extern PyObject *contents_of, *note_mapped, *note_unmapped, *element_of;

/* See begin_objects_anew: no thread is at the memory object's region. */
void begin_maps_anew(struct object *memory);

/* With Python's lock: it is told of the region that the library has mapped of the memory object, or of what that is a part of. */
void tell_region(struct object *memory);

/* note_image_of(address), before a memory object is asked for its core that an image is to be made of: Python lists the regions of both
   from here on. */
PyObject *note_image_of(PyObject *self, PyObject *arguments);

/* Whether no region of a memory object is mapped that is about to become another one, nor was by Python. */
int leaves_no_map(const struct object *memory);

/* How often the regions that Python lists have become others, of any memory object: a buffer's are those of its images, too. */
extern uint64_t relisted;

static inline struct contents *known_contents(const struct object *memory)
{
    return __atomic_load_n(&memory->contents, __ATOMIC_ACQUIRE);
}

/* Whether it is not mapped: so Python has told, and has listed nothing since. (Of others regions go without a call, with the image that has
   mapped them.) */
static inline int is_known_unmapped(const struct object *memory)
{
    uint64_t kept = __atomic_load_n(&memory->kept.answer, __ATOMIC_ACQUIRE);
    return kept >> 32 == mark_of_count(__atomic_load_n(&relisted, __ATOMIC_ACQUIRE));
}

/* How many regions of the buffer are mapped, of one that says all of what it was made with; 0 where Python has to say. */
static inline int know_map_count(const struct object *buffer, uint32_t *count)
{
    const struct contents *contents = known_contents(buffer);
    /* Before the number of Python's: a region that Python is being told of is in one or the other. */
    uint32_t now = contents ? __atomic_load_n(&contents->state, __ATOMIC_ACQUIRE) : NOT_MAPPED;
    *count = now == MAPPED;
    if (now == CHANGING)
        return 0;
    if (__atomic_load_n(&buffer->has_images, __ATOMIC_SEQ_CST))
        return is_known_unmapped(buffer);
    return contents ? !__atomic_load_n(&contents->known.by_python, __ATOMIC_ACQUIRE)
        : !__atomic_load_n(&buffer->is_mapped_by_python, __ATOMIC_ACQUIRE);
}

/* CL_MEM_MAP_COUNT from Python, which is kept where images are made of the object, if it is none. */
int32_t ask_map_count(struct entry *entry, struct object *memory, uint32_t *count);

/* Asks Python for what it knows of a memory object by now. */
void learn_contents(struct object *memory);

/* What is known of an image that CUDA has as an array, and that a command of the queue may use, of one made without the flags that are
   `refused`; NULL where that is Python's. */
struct contents *array_in(const struct object *queue, struct object *image, uint64_t refused);

/* Whether the numbers of an origin and a region are a box that lies in the image. */
int read_box(struct box *box, const struct array *array, const size_t *origin, const size_t *region);

/* clEnqueueMapBuffer, clEnqueueMapImage, clEnqueueUnmapMemObject */
void *map_buffer(struct entry *entry, struct object *queue, struct object *buffer, uint32_t blocking, uint64_t flags, size_t offset,
                 size_t size, uint32_t wait_count, const void *waits, const void *event, const void *error);
void *map_image(struct entry *entry, struct object *queue, struct object *image, uint32_t blocking, uint64_t flags, const void *origin,
                const void *region, const void *row_pitch, const void *slice_pitch, uint32_t wait_count, const void *waits,
                const void *event, const void *error);
int32_t unmap_memory(struct entry *entry, struct object *queue, struct object *memory, const void *address, uint32_t wait_count,
                     const void *waits, const void *event);

#endif
