/* Reads, writes, copies and fills of images that are CUDA's arrays, without Python, once it has made a command with each of them (boxes.h of
   runtime/native). */
#ifndef CL2CUDA_IMAGES_H
#define CL2CUDA_IMAGES_H

#include "calls.h"

int32_t read_image(struct entry *entry, struct object *queue, struct object *image, uint32_t blocking, const void *origin, const void *size,
                   size_t row_pitch, size_t slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event);
int32_t write_image(struct entry *entry, struct object *queue, struct object *image, uint32_t blocking, const void *origin, const void *size,
                    size_t row_pitch, size_t slice_pitch, const void *host, uint32_t wait_count, const void *waits, const void *event);
int32_t copy_image(struct entry *entry, struct object *queue, struct object *source, struct object *target, const void *source_origin,
                   const void *target_origin, const void *size, uint32_t wait_count, const void *waits, const void *event);
int32_t copy_image_to_buffer(struct entry *entry, struct object *queue, struct object *image, struct object *buffer, const void *origin,
                             const void *size, size_t offset, uint32_t wait_count, const void *waits, const void *event);
int32_t copy_buffer_to_image(struct entry *entry, struct object *queue, struct object *buffer, struct object *image, size_t offset,
                             const void *origin, const void *size, uint32_t wait_count, const void *waits, const void *event);
int32_t fill_image(struct entry *entry, struct object *queue, struct object *image, const void *color, const void *origin, const void *size,
                   uint32_t wait_count, const void *waits, const void *event);

#endif
