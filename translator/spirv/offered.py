"""What of SPIR-V cl2cuda offers: capabilities and extensions. Pure tables.

Everything in them works; a module that declares another one is refused before anything of it is read.
"""

from __future__ import annotations

GRAPHICS_HINT = " (it is a shader's, or newer than this cl2cuda)"

# The OpenCL SPIR-V environment specification, section 6, and what our extensions of OpenCL C bring.
OFFERED_CAPABILITIES = frozenset(
    """
    Addresses Linkage Kernel Vector16 Float16Buffer Float16 Float64 Int64 Int64Atomics Int16 Int8
    Groups GenericPointer LiteralSampler SampledBuffer Image1D Sampled1D ImageBuffer ImageBasic ImageReadWrite ImageMipmap

    SubgroupDispatch NamedBarrier Pipes DeviceEnqueue
    GroupNonUniform GroupNonUniformVote GroupNonUniformArithmetic GroupNonUniformBallot GroupNonUniformShuffle
    GroupNonUniformShuffleRelative GroupNonUniformClustered GroupNonUniformRotateKHR GroupUniformArithmeticKHR
    SubgroupBallotKHR SubgroupVoteKHR
    SubgroupShuffleINTEL SubgroupBufferBlockIOINTEL SubgroupImageBlockIOINTEL SubgroupImageMediaBlockIOINTEL
    AtomicFloat32AddEXT AtomicFloat64AddEXT AtomicFloat16AddEXT
    AtomicFloat32MinMaxEXT AtomicFloat64MinMaxEXT AtomicFloat16MinMaxEXT
    DotProduct DotProductInputAll DotProductInput4x8Bit DotProductInput4x8BitPacked
    ShaderClockKHR GlobalVariableHostAccessINTEL USMStorageClassesINTEL
    ExpectAssumeKHR BitInstructions OptNoneINTEL UniformDecoration
    DenormPreserve SignedZeroInfNanPreserve RoundingModeRTE
    MemoryAccessAliasingINTEL FPFastMathModeINTEL
    """.split()
)

# Matrix and Shader: compilers declare them with the float atomics, whose grammar says that these need them. What is a shader's is
# refused where it stands.
DECLARED_IN_VAIN = frozenset((0, 1))

INSTRUCTION_SETS = ("OpenCL.std",)

EXTENSIONS = frozenset(
    """
    SPV_KHR_no_integer_wrap_decoration SPV_KHR_linkonce_odr SPV_KHR_expect_assume SPV_KHR_bit_instructions
    SPV_KHR_integer_dot_product SPV_KHR_subgroup_rotate SPV_KHR_uniform_group_instructions SPV_KHR_shader_ballot
    SPV_KHR_subgroup_vote SPV_INTEL_optnone SPV_KHR_float_controls SPV_KHR_non_semantic_info
    SPV_EXT_shader_atomic_float_add SPV_EXT_shader_atomic_float_min_max SPV_EXT_shader_atomic_float16_add
    SPV_INTEL_subgroups SPV_KHR_shader_clock SPV_INTEL_global_variable_host_access
    SPV_INTEL_media_block_io SPV_INTEL_usm_storage_classes SPV_EXT_relaxed_printf_string_address_space
    SPV_INTEL_memory_access_aliasing SPV_INTEL_fp_fast_math_mode
    """.split()
)
