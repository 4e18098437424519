/* From a colour, as clEnqueueFillImage takes it, to an element of an image (driver/image_colors.py): by integers alone, since a program
   may have its own way to compute with floating-point numbers. What is seldom is Python's: packed elements, depth, sRGB and what is no
   number. */
#ifndef CL2CUDA_NATIVE_COLORS_H
#define CL2CUDA_NATIVE_COLORS_H

#include <stdint.h>
#include <string.h>

/* Of each channel in memory the component of (r, g, b, a) that it holds; "" of other orders. */
static inline const char *channels_of(uint32_t order)
{
    switch (order) {
    case 0x10B0: case 0x10B8: case 0x10B9: return "r"; /* CL_R, CL_INTENSITY, CL_LUMINANCE */
    case 0x10B1: return "a";
    case 0x10B2: return "rg";
    case 0x10B3: return "ra";
    case 0x10B5: return "rgba";
    case 0x10B6: return "bgra";
    case 0x10B7: return "argb";
    case 0x10C3: return "abgr";
    default: return "";
    }
}

enum channel_kind { NO_CHANNEL, SNORM, UNORM, SIGNED, UNSIGNED, FLOATING };

struct channel_type {
    enum channel_kind kind;
    unsigned size; /* bytes */
};

static inline struct channel_type channel_type_of(uint32_t type)
{
    static const struct channel_type types[] = { { SNORM, 1 }, { SNORM, 2 }, { UNORM, 1 }, { UNORM, 2 }, { NO_CHANNEL, 0 }, { NO_CHANNEL, 0 },
        { NO_CHANNEL, 0 }, { SIGNED, 1 }, { SIGNED, 2 }, { SIGNED, 4 }, { UNSIGNED, 1 }, { UNSIGNED, 2 }, { UNSIGNED, 4 }, { FLOATING, 2 },
        { FLOATING, 4 } };
    const uint32_t first = 0x10D0; /* CL_SNORM_INT8 */
    return type >= first && type - first < sizeof types / sizeof *types ? types[type - first] : types[4];
}

/* By 2 to the power, rounded to the nearest even. */
static inline uint64_t rounded(uint64_t number, int power)
{
    if (power <= 0)
        return number << -power;
    if (power > 63)
        return 0;
    uint64_t whole = number >> power, rest = number - (whole << power), half = (uint64_t)1 << (power - 1);
    return whole + (rest > half || (rest == half && whole & 1));
}

enum { FLOAT_SIGN = 31, FLOAT_ONE = 127 << 23, FLOAT_INFINITY = 255 << 23, FLOAT_DIGITS = 24 };

/* A float's bits without the sign as a number times 2 to the power less. */
static inline uint64_t taken_apart(uint32_t bits, int *power)
{
    int exponent = (int)(bits >> 23);
    *power = 150 - (exponent ? exponent : 1);
    return (bits & ((1 << 23) - 1)) | (exponent ? (uint64_t)1 << 23 : 0);
}

/* "convert_uchar_sat_rte(f * 255.0f)" and the like: the product is a float before it is an integer. */
static inline uint32_t normalized(uint32_t bits, uint32_t one, int is_signed)
{
    uint32_t size = bits & ~(1u << FLOAT_SIGN), is_less = bits >> FLOAT_SIGN;
    int power;
    if (size > FLOAT_INFINITY || (is_less && !is_signed))
        return 0;
    uint64_t product = taken_apart(size > FLOAT_ONE + (1 << 23) ? FLOAT_ONE + (1 << 23) : size, &power) * one;
    int more = 0;
    while (product >> more >> FLOAT_DIGITS)
        more++;
    product = rounded(rounded(product, more), power - more);
    uint64_t most = one + (is_less ? 1 : 0);
    product = product > most ? most : product;
    return is_less ? (uint32_t)-(int32_t)product : (uint32_t)product;
}

/* A half's bits of a float's, which is a number. */
static inline uint32_t half_of(uint32_t bits)
{
    const uint32_t sign = bits >> FLOAT_SIGN << 15, size = bits & ~(1u << FLOAT_SIGN);
    int power;
    uint64_t number = taken_apart(size, &power);
    if (size >= FLOAT_INFINITY)
        return sign | 0x7C00;
    if (size < FLOAT_ONE - (14 << 23)) /* less than the least normal half: so many of the least one */
        return sign | (uint32_t)rounded(number, power - 24);
    uint32_t exponent = (size >> 23) - 127 + 15, digits = (uint32_t)rounded(number, 13); /* of which the first one adds to the exponent */
    uint32_t found = ((exponent - 1) << 10) + digits;
    return sign | (found > 0x7C00 ? 0x7C00 : found);
}

static inline uint32_t clamped(int64_t value, int64_t least, int64_t most)
{
    return (uint32_t)(value < least ? least : value > most ? most : value);
}

static inline uint32_t channel_of(struct channel_type type, uint32_t bits)
{
    const int width = 8 * (int)type.size;
    switch (type.kind) {
    case SNORM: return normalized(bits, (1u << (width - 1)) - 1, 1);
    case UNORM: return normalized(bits, (1u << width) - 1, 0);
    case SIGNED: return clamped((int32_t)bits, -((int64_t)1 << (width - 1)), ((int64_t)1 << (width - 1)) - 1);
    case UNSIGNED: return clamped((int64_t)bits, 0, ((int64_t)1 << width) - 1);
    default: return type.size == 2 ? half_of(bits) : bits;
    }
}

/* The element's bytes, which are written; 0 where it is Python's. */
static inline unsigned element_of_color(uint32_t order, uint32_t type, const void *color, char *element)
{
    const struct channel_type channel = channel_type_of(type);
    unsigned size = 0;
    for (const char *name = channels_of(order); channel.kind && *name; name++, size += channel.size) {
        uint32_t bits;
        memcpy(&bits, (const char *)color + (strchr("rgba", *name) - "rgba") * sizeof bits, sizeof bits);
        if (channel.kind == FLOATING && (bits & ~(1u << FLOAT_SIGN)) > FLOAT_INFINITY)
            return 0;
        bits = channel_of(channel, bits);
        memcpy(element + size, &bits, channel.size);
    }
    return size;
}

#endif
