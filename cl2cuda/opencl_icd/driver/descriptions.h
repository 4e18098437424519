/* What begins bare like one that Python has made: an object of which the call that makes it says all, such as an image, a sampler or a
   queue. Python checks the first of a description in a context, and says whether there is more to its making than that. The others are of
   a description, and no more, until Python is asked of them, which makes them by the same call then. Images of all sizes have one
   description, as far as Python's checks of the first are those of the others, too. An image over a buffer is described by what the buffer
   is, and has the one that it was made of as its parent. */
#ifndef CL2CUDA_DESCRIPTIONS_H
#define CL2CUDA_DESCRIPTIONS_H

#include "calls.h"

enum { MOST_DESCRIBED_WORDS = 11 };

struct description {
    struct description *next;
    struct entry *entry;
    int begins_bare;
    PyObject *maker;         /* what makes such an object in fewer steps than the call's; NULL where that is the call's business */
    size_t first_size;       /* how many bytes of the host's memory such an object begins with, at words[host_at]; of an image its own */
    int host_at;
    struct size_limits limits; /* of images */
    struct arrays *arrays;   /* of images whose arrays the library makes */
    int image_at;            /* words[image_at] is a cl_image_desc that gets an image's sizes; 0 where they are words of their own: */
    int size_at[SIZES], pitch_at[PITCHES];
    int whole_at;            /* words[whole_at] is a cl_image_desc with a memory object: the object's parent; 0 where there is none */
    word words[MOST_DESCRIBED_WORDS]; /* the call's, with pointers to what is copied here */
    size_t size;
    char bytes[];
};

/* The package's function that says whether such objects may begin bare. */
extern PyObject *may_begin_bare;

/* The package's function that gives what makes objects like one that its call has made: maker(context, first contents or 0, an image's four
   sizes); None. And the one that says which sizes others like an image may have, as struct size_limits. */
extern PyObject *maker_of, *sizes_of;

/* The entry's call, whose parameters are described (calls.h). */
word make_described(struct entry *entry, const word *words);

/* With Python's lock: the core of an object that began bare, with its first contents, if it has some; NULL, with Python's error set, where
   there is none. */
PyObject *described_core(const struct object *object, const void *first);

/* Of this thread: the buffer that an image is being made over, which Python is given though the application has released it since. */
extern __thread const struct object *whole_being_used;

/* With Python's lock, of a context that nobody makes objects in any more. */
void forget_descriptions(struct object *context);

#endif
