typedef int number;
typedef struct { int a; } number;
typedef union { int a; float b; } float4;
typedef struct pair { int a, b; } pair;
typedef struct { int a, b; } pair;
kernel void f(global int *x) { }

// Diagnostics:
//| error:2:27: typedef redefinition of 'number' with different types ('struct number' and 'int')
//| error:3:35: typedef redefinition of 'float4' with different types ('union float4' and 'float4')
//| error:5:30: typedef redefinition of 'pair' with different types ('struct pair' and 'struct pair')
