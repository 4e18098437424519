// 6.5.9: Their types match, or an implicit conversion makes them match.
// expect: error "vector condition type 'int4' and result type 'int2' do not have the same number and size of elements" at line 6
kernel void condition_of_another_width(global int *out) {
    int4 c = (int4)(1);
    int2 v = (int2)(1);
    v = c ? v : v;
}
