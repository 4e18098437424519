// libc's printf.

extern "C" int printf(const char*, ...);
