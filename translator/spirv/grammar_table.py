"""SPIR-V's instructions, enumerants and the functions of OpenCL.std, without what only shaders have.

A pure table, written by tests/tools/spirv_grammar/generate.py from Khronos' machine-readable grammar; `grammar` reads it.
"""

# opcode, name, operands
INSTRUCTIONS = """
0 OpNop
1 OpUndef IdResultType IdResult
2 OpSourceContinued LiteralString
3 OpSource SourceLanguage LiteralInteger IdRef? LiteralString?
4 OpSourceExtension LiteralString
5 OpName IdRef LiteralString
6 OpMemberName IdRef LiteralInteger LiteralString
7 OpString IdResult LiteralString
8 OpLine IdRef LiteralInteger LiteralInteger
10 OpExtension LiteralString
11 OpExtInstImport IdResult LiteralString
12 OpExtInst IdResultType IdResult IdRef LiteralExtInstInteger IdRef*
14 OpMemoryModel AddressingModel MemoryModel
15 OpEntryPoint ExecutionModel IdRef LiteralString IdRef*
16 OpExecutionMode IdRef ExecutionMode
17 OpCapability Capability
19 OpTypeVoid IdResult
20 OpTypeBool IdResult
21 OpTypeInt IdResult LiteralInteger LiteralInteger
22 OpTypeFloat IdResult LiteralInteger
23 OpTypeVector IdResult IdRef LiteralInteger
25 OpTypeImage IdResult IdRef Dim LiteralInteger LiteralInteger LiteralInteger LiteralInteger ImageFormat AccessQualifier?
26 OpTypeSampler IdResult
27 OpTypeSampledImage IdResult IdRef
28 OpTypeArray IdResult IdRef IdRef
30 OpTypeStruct IdResult IdRef*
31 OpTypeOpaque IdResult LiteralString
32 OpTypePointer IdResult StorageClass IdRef
33 OpTypeFunction IdResult IdRef IdRef*
34 OpTypeEvent IdResult
35 OpTypeDeviceEvent IdResult
36 OpTypeReserveId IdResult
37 OpTypeQueue IdResult
38 OpTypePipe IdResult AccessQualifier
39 OpTypeForwardPointer IdRef StorageClass
41 OpConstantTrue IdResultType IdResult
42 OpConstantFalse IdResultType IdResult
43 OpConstant IdResultType IdResult LiteralContextDependentNumber
44 OpConstantComposite IdResultType IdResult IdRef*
45 OpConstantSampler IdResultType IdResult SamplerAddressingMode LiteralInteger SamplerFilterMode
46 OpConstantNull IdResultType IdResult
48 OpSpecConstantTrue IdResultType IdResult
49 OpSpecConstantFalse IdResultType IdResult
50 OpSpecConstant IdResultType IdResult LiteralContextDependentNumber
51 OpSpecConstantComposite IdResultType IdResult IdRef*
52 OpSpecConstantOp IdResultType IdResult LiteralSpecConstantOpInteger
54 OpFunction IdResultType IdResult FunctionControl IdRef
55 OpFunctionParameter IdResultType IdResult
56 OpFunctionEnd
57 OpFunctionCall IdResultType IdResult IdRef IdRef*
59 OpVariable IdResultType IdResult StorageClass IdRef?
60 OpImageTexelPointer IdResultType IdResult IdRef IdRef IdRef
61 OpLoad IdResultType IdResult IdRef MemoryAccess?
62 OpStore IdRef IdRef MemoryAccess?
63 OpCopyMemory IdRef IdRef MemoryAccess? MemoryAccess?
64 OpCopyMemorySized IdRef IdRef IdRef MemoryAccess? MemoryAccess?
65 OpAccessChain IdResultType IdResult IdRef IdRef*
66 OpInBoundsAccessChain IdResultType IdResult IdRef IdRef*
67 OpPtrAccessChain IdResultType IdResult IdRef IdRef IdRef*
69 OpGenericPtrMemSemantics IdResultType IdResult IdRef
70 OpInBoundsPtrAccessChain IdResultType IdResult IdRef IdRef IdRef*
71 OpDecorate IdRef Decoration
72 OpMemberDecorate IdRef LiteralInteger Decoration
73 OpDecorationGroup IdResult
74 OpGroupDecorate IdRef IdRef*
75 OpGroupMemberDecorate IdRef PairIdRefLiteralInteger*
77 OpVectorExtractDynamic IdResultType IdResult IdRef IdRef
78 OpVectorInsertDynamic IdResultType IdResult IdRef IdRef IdRef
79 OpVectorShuffle IdResultType IdResult IdRef IdRef LiteralInteger*
80 OpCompositeConstruct IdResultType IdResult IdRef*
81 OpCompositeExtract IdResultType IdResult IdRef LiteralInteger*
82 OpCompositeInsert IdResultType IdResult IdRef IdRef LiteralInteger*
83 OpCopyObject IdResultType IdResult IdRef
86 OpSampledImage IdResultType IdResult IdRef IdRef
88 OpImageSampleExplicitLod IdResultType IdResult IdRef IdRef ImageOperands
95 OpImageFetch IdResultType IdResult IdRef IdRef ImageOperands?
98 OpImageRead IdResultType IdResult IdRef IdRef ImageOperands?
99 OpImageWrite IdRef IdRef IdRef ImageOperands?
100 OpImage IdResultType IdResult IdRef
101 OpImageQueryFormat IdResultType IdResult IdRef
102 OpImageQueryOrder IdResultType IdResult IdRef
103 OpImageQuerySizeLod IdResultType IdResult IdRef IdRef
104 OpImageQuerySize IdResultType IdResult IdRef
106 OpImageQueryLevels IdResultType IdResult IdRef
107 OpImageQuerySamples IdResultType IdResult IdRef
109 OpConvertFToU IdResultType IdResult IdRef
110 OpConvertFToS IdResultType IdResult IdRef
111 OpConvertSToF IdResultType IdResult IdRef
112 OpConvertUToF IdResultType IdResult IdRef
113 OpUConvert IdResultType IdResult IdRef
114 OpSConvert IdResultType IdResult IdRef
115 OpFConvert IdResultType IdResult IdRef
116 OpQuantizeToF16 IdResultType IdResult IdRef
117 OpConvertPtrToU IdResultType IdResult IdRef
118 OpSatConvertSToU IdResultType IdResult IdRef
119 OpSatConvertUToS IdResultType IdResult IdRef
120 OpConvertUToPtr IdResultType IdResult IdRef
121 OpPtrCastToGeneric IdResultType IdResult IdRef
122 OpGenericCastToPtr IdResultType IdResult IdRef
123 OpGenericCastToPtrExplicit IdResultType IdResult IdRef StorageClass
124 OpBitcast IdResultType IdResult IdRef
126 OpSNegate IdResultType IdResult IdRef
127 OpFNegate IdResultType IdResult IdRef
128 OpIAdd IdResultType IdResult IdRef IdRef
129 OpFAdd IdResultType IdResult IdRef IdRef
130 OpISub IdResultType IdResult IdRef IdRef
131 OpFSub IdResultType IdResult IdRef IdRef
132 OpIMul IdResultType IdResult IdRef IdRef
133 OpFMul IdResultType IdResult IdRef IdRef
134 OpUDiv IdResultType IdResult IdRef IdRef
135 OpSDiv IdResultType IdResult IdRef IdRef
136 OpFDiv IdResultType IdResult IdRef IdRef
137 OpUMod IdResultType IdResult IdRef IdRef
138 OpSRem IdResultType IdResult IdRef IdRef
139 OpSMod IdResultType IdResult IdRef IdRef
140 OpFRem IdResultType IdResult IdRef IdRef
141 OpFMod IdResultType IdResult IdRef IdRef
142 OpVectorTimesScalar IdResultType IdResult IdRef IdRef
148 OpDot IdResultType IdResult IdRef IdRef
149 OpIAddCarry IdResultType IdResult IdRef IdRef
150 OpISubBorrow IdResultType IdResult IdRef IdRef
151 OpUMulExtended IdResultType IdResult IdRef IdRef
152 OpSMulExtended IdResultType IdResult IdRef IdRef
154 OpAny IdResultType IdResult IdRef
155 OpAll IdResultType IdResult IdRef
156 OpIsNan IdResultType IdResult IdRef
157 OpIsInf IdResultType IdResult IdRef
158 OpIsFinite IdResultType IdResult IdRef
159 OpIsNormal IdResultType IdResult IdRef
160 OpSignBitSet IdResultType IdResult IdRef
161 OpLessOrGreater IdResultType IdResult IdRef IdRef
162 OpOrdered IdResultType IdResult IdRef IdRef
163 OpUnordered IdResultType IdResult IdRef IdRef
164 OpLogicalEqual IdResultType IdResult IdRef IdRef
165 OpLogicalNotEqual IdResultType IdResult IdRef IdRef
166 OpLogicalOr IdResultType IdResult IdRef IdRef
167 OpLogicalAnd IdResultType IdResult IdRef IdRef
168 OpLogicalNot IdResultType IdResult IdRef
169 OpSelect IdResultType IdResult IdRef IdRef IdRef
170 OpIEqual IdResultType IdResult IdRef IdRef
171 OpINotEqual IdResultType IdResult IdRef IdRef
172 OpUGreaterThan IdResultType IdResult IdRef IdRef
173 OpSGreaterThan IdResultType IdResult IdRef IdRef
174 OpUGreaterThanEqual IdResultType IdResult IdRef IdRef
175 OpSGreaterThanEqual IdResultType IdResult IdRef IdRef
176 OpULessThan IdResultType IdResult IdRef IdRef
177 OpSLessThan IdResultType IdResult IdRef IdRef
178 OpULessThanEqual IdResultType IdResult IdRef IdRef
179 OpSLessThanEqual IdResultType IdResult IdRef IdRef
180 OpFOrdEqual IdResultType IdResult IdRef IdRef
181 OpFUnordEqual IdResultType IdResult IdRef IdRef
182 OpFOrdNotEqual IdResultType IdResult IdRef IdRef
183 OpFUnordNotEqual IdResultType IdResult IdRef IdRef
184 OpFOrdLessThan IdResultType IdResult IdRef IdRef
185 OpFUnordLessThan IdResultType IdResult IdRef IdRef
186 OpFOrdGreaterThan IdResultType IdResult IdRef IdRef
187 OpFUnordGreaterThan IdResultType IdResult IdRef IdRef
188 OpFOrdLessThanEqual IdResultType IdResult IdRef IdRef
189 OpFUnordLessThanEqual IdResultType IdResult IdRef IdRef
190 OpFOrdGreaterThanEqual IdResultType IdResult IdRef IdRef
191 OpFUnordGreaterThanEqual IdResultType IdResult IdRef IdRef
194 OpShiftRightLogical IdResultType IdResult IdRef IdRef
195 OpShiftRightArithmetic IdResultType IdResult IdRef IdRef
196 OpShiftLeftLogical IdResultType IdResult IdRef IdRef
197 OpBitwiseOr IdResultType IdResult IdRef IdRef
198 OpBitwiseXor IdResultType IdResult IdRef IdRef
199 OpBitwiseAnd IdResultType IdResult IdRef IdRef
200 OpNot IdResultType IdResult IdRef
201 OpBitFieldInsert IdResultType IdResult IdRef IdRef IdRef IdRef
202 OpBitFieldSExtract IdResultType IdResult IdRef IdRef IdRef
203 OpBitFieldUExtract IdResultType IdResult IdRef IdRef IdRef
204 OpBitReverse IdResultType IdResult IdRef
205 OpBitCount IdResultType IdResult IdRef
224 OpControlBarrier IdScope IdScope IdMemorySemantics
225 OpMemoryBarrier IdScope IdMemorySemantics
227 OpAtomicLoad IdResultType IdResult IdRef IdScope IdMemorySemantics
228 OpAtomicStore IdRef IdScope IdMemorySemantics IdRef
229 OpAtomicExchange IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
230 OpAtomicCompareExchange IdResultType IdResult IdRef IdScope IdMemorySemantics IdMemorySemantics IdRef IdRef
231 OpAtomicCompareExchangeWeak IdResultType IdResult IdRef IdScope IdMemorySemantics IdMemorySemantics IdRef IdRef
232 OpAtomicIIncrement IdResultType IdResult IdRef IdScope IdMemorySemantics
233 OpAtomicIDecrement IdResultType IdResult IdRef IdScope IdMemorySemantics
234 OpAtomicIAdd IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
235 OpAtomicISub IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
236 OpAtomicSMin IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
237 OpAtomicUMin IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
238 OpAtomicSMax IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
239 OpAtomicUMax IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
240 OpAtomicAnd IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
241 OpAtomicOr IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
242 OpAtomicXor IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
245 OpPhi IdResultType IdResult PairIdRefIdRef*
246 OpLoopMerge IdRef IdRef LoopControl
247 OpSelectionMerge IdRef SelectionControl
248 OpLabel IdResult
249 OpBranch IdRef
250 OpBranchConditional IdRef IdRef IdRef LiteralInteger*
251 OpSwitch IdRef IdRef PairLiteralIntegerIdRef*
253 OpReturn
254 OpReturnValue IdRef
255 OpUnreachable
256 OpLifetimeStart IdRef LiteralInteger
257 OpLifetimeStop IdRef LiteralInteger
259 OpGroupAsyncCopy IdResultType IdResult IdScope IdRef IdRef IdRef IdRef IdRef
260 OpGroupWaitEvents IdScope IdRef IdRef
261 OpGroupAll IdResultType IdResult IdScope IdRef
262 OpGroupAny IdResultType IdResult IdScope IdRef
263 OpGroupBroadcast IdResultType IdResult IdScope IdRef IdRef
264 OpGroupIAdd IdResultType IdResult IdScope GroupOperation IdRef
265 OpGroupFAdd IdResultType IdResult IdScope GroupOperation IdRef
266 OpGroupFMin IdResultType IdResult IdScope GroupOperation IdRef
267 OpGroupUMin IdResultType IdResult IdScope GroupOperation IdRef
268 OpGroupSMin IdResultType IdResult IdScope GroupOperation IdRef
269 OpGroupFMax IdResultType IdResult IdScope GroupOperation IdRef
270 OpGroupUMax IdResultType IdResult IdScope GroupOperation IdRef
271 OpGroupSMax IdResultType IdResult IdScope GroupOperation IdRef
274 OpReadPipe IdResultType IdResult IdRef IdRef IdRef IdRef
275 OpWritePipe IdResultType IdResult IdRef IdRef IdRef IdRef
276 OpReservedReadPipe IdResultType IdResult IdRef IdRef IdRef IdRef IdRef IdRef
277 OpReservedWritePipe IdResultType IdResult IdRef IdRef IdRef IdRef IdRef IdRef
278 OpReserveReadPipePackets IdResultType IdResult IdRef IdRef IdRef IdRef
279 OpReserveWritePipePackets IdResultType IdResult IdRef IdRef IdRef IdRef
280 OpCommitReadPipe IdRef IdRef IdRef IdRef
281 OpCommitWritePipe IdRef IdRef IdRef IdRef
282 OpIsValidReserveId IdResultType IdResult IdRef
283 OpGetNumPipePackets IdResultType IdResult IdRef IdRef IdRef
284 OpGetMaxPipePackets IdResultType IdResult IdRef IdRef IdRef
285 OpGroupReserveReadPipePackets IdResultType IdResult IdScope IdRef IdRef IdRef IdRef
286 OpGroupReserveWritePipePackets IdResultType IdResult IdScope IdRef IdRef IdRef IdRef
287 OpGroupCommitReadPipe IdScope IdRef IdRef IdRef IdRef
288 OpGroupCommitWritePipe IdScope IdRef IdRef IdRef IdRef
291 OpEnqueueMarker IdResultType IdResult IdRef IdRef IdRef IdRef
292 OpEnqueueKernel IdResultType IdResult IdRef IdRef IdRef IdRef IdRef IdRef IdRef IdRef IdRef IdRef IdRef*
293 OpGetKernelNDrangeSubGroupCount IdResultType IdResult IdRef IdRef IdRef IdRef IdRef
294 OpGetKernelNDrangeMaxSubGroupSize IdResultType IdResult IdRef IdRef IdRef IdRef IdRef
295 OpGetKernelWorkGroupSize IdResultType IdResult IdRef IdRef IdRef IdRef
296 OpGetKernelPreferredWorkGroupSizeMultiple IdResultType IdResult IdRef IdRef IdRef IdRef
297 OpRetainEvent IdRef
298 OpReleaseEvent IdRef
299 OpCreateUserEvent IdResultType IdResult
300 OpIsValidEvent IdResultType IdResult IdRef
301 OpSetUserEventStatus IdRef IdRef
302 OpCaptureEventProfilingInfo IdRef IdRef IdRef
303 OpGetDefaultQueue IdResultType IdResult
304 OpBuildNDRange IdResultType IdResult IdRef IdRef IdRef
317 OpNoLine
318 OpAtomicFlagTestAndSet IdResultType IdResult IdRef IdScope IdMemorySemantics
319 OpAtomicFlagClear IdRef IdScope IdMemorySemantics
321 OpSizeOf IdResultType IdResult IdRef
322 OpTypePipeStorage IdResult
323 OpConstantPipeStorage IdResultType IdResult LiteralInteger LiteralInteger LiteralInteger
324 OpCreatePipeFromPipeStorage IdResultType IdResult IdRef
325 OpGetKernelLocalSizeForSubgroupCount IdResultType IdResult IdRef IdRef IdRef IdRef IdRef
326 OpGetKernelMaxNumSubgroups IdResultType IdResult IdRef IdRef IdRef IdRef
327 OpTypeNamedBarrier IdResult
328 OpNamedBarrierInitialize IdResultType IdResult IdRef
329 OpMemoryNamedBarrier IdRef IdScope IdMemorySemantics
330 OpModuleProcessed LiteralString
331 OpExecutionModeId IdRef ExecutionMode
332 OpDecorateId IdRef Decoration
333 OpGroupNonUniformElect IdResultType IdResult IdScope
334 OpGroupNonUniformAll IdResultType IdResult IdScope IdRef
335 OpGroupNonUniformAny IdResultType IdResult IdScope IdRef
336 OpGroupNonUniformAllEqual IdResultType IdResult IdScope IdRef
337 OpGroupNonUniformBroadcast IdResultType IdResult IdScope IdRef IdRef
338 OpGroupNonUniformBroadcastFirst IdResultType IdResult IdScope IdRef
339 OpGroupNonUniformBallot IdResultType IdResult IdScope IdRef
340 OpGroupNonUniformInverseBallot IdResultType IdResult IdScope IdRef
341 OpGroupNonUniformBallotBitExtract IdResultType IdResult IdScope IdRef IdRef
342 OpGroupNonUniformBallotBitCount IdResultType IdResult IdScope GroupOperation IdRef
343 OpGroupNonUniformBallotFindLSB IdResultType IdResult IdScope IdRef
344 OpGroupNonUniformBallotFindMSB IdResultType IdResult IdScope IdRef
345 OpGroupNonUniformShuffle IdResultType IdResult IdScope IdRef IdRef
346 OpGroupNonUniformShuffleXor IdResultType IdResult IdScope IdRef IdRef
347 OpGroupNonUniformShuffleUp IdResultType IdResult IdScope IdRef IdRef
348 OpGroupNonUniformShuffleDown IdResultType IdResult IdScope IdRef IdRef
349 OpGroupNonUniformIAdd IdResultType IdResult IdScope GroupOperation IdRef IdRef?
350 OpGroupNonUniformFAdd IdResultType IdResult IdScope GroupOperation IdRef IdRef?
351 OpGroupNonUniformIMul IdResultType IdResult IdScope GroupOperation IdRef IdRef?
352 OpGroupNonUniformFMul IdResultType IdResult IdScope GroupOperation IdRef IdRef?
353 OpGroupNonUniformSMin IdResultType IdResult IdScope GroupOperation IdRef IdRef?
354 OpGroupNonUniformUMin IdResultType IdResult IdScope GroupOperation IdRef IdRef?
355 OpGroupNonUniformFMin IdResultType IdResult IdScope GroupOperation IdRef IdRef?
356 OpGroupNonUniformSMax IdResultType IdResult IdScope GroupOperation IdRef IdRef?
357 OpGroupNonUniformUMax IdResultType IdResult IdScope GroupOperation IdRef IdRef?
358 OpGroupNonUniformFMax IdResultType IdResult IdScope GroupOperation IdRef IdRef?
359 OpGroupNonUniformBitwiseAnd IdResultType IdResult IdScope GroupOperation IdRef IdRef?
360 OpGroupNonUniformBitwiseOr IdResultType IdResult IdScope GroupOperation IdRef IdRef?
361 OpGroupNonUniformBitwiseXor IdResultType IdResult IdScope GroupOperation IdRef IdRef?
362 OpGroupNonUniformLogicalAnd IdResultType IdResult IdScope GroupOperation IdRef IdRef?
363 OpGroupNonUniformLogicalOr IdResultType IdResult IdScope GroupOperation IdRef IdRef?
364 OpGroupNonUniformLogicalXor IdResultType IdResult IdScope GroupOperation IdRef IdRef?
365 OpGroupNonUniformQuadBroadcast IdResultType IdResult IdScope IdRef IdRef
366 OpGroupNonUniformQuadSwap IdResultType IdResult IdScope IdRef IdRef
400 OpCopyLogical IdResultType IdResult IdRef
401 OpPtrEqual IdResultType IdResult IdRef IdRef
402 OpPtrNotEqual IdResultType IdResult IdRef IdRef
403 OpPtrDiff IdResultType IdResult IdRef IdRef
4421 OpSubgroupBallotKHR IdResultType IdResult IdRef
4422 OpSubgroupFirstInvocationKHR IdResultType IdResult IdRef
4428 OpSubgroupAllKHR IdResultType IdResult IdRef
4429 OpSubgroupAnyKHR IdResultType IdResult IdRef
4430 OpSubgroupAllEqualKHR IdResultType IdResult IdRef
4431 OpGroupNonUniformRotateKHR IdResultType IdResult IdScope IdRef IdRef IdRef?
4432 OpSubgroupReadInvocationKHR IdResultType IdResult IdRef IdRef
4450 OpSDot IdResultType IdResult IdRef IdRef PackedVectorFormat?
4451 OpUDot IdResultType IdResult IdRef IdRef PackedVectorFormat?
4452 OpSUDot IdResultType IdResult IdRef IdRef PackedVectorFormat?
4453 OpSDotAccSat IdResultType IdResult IdRef IdRef IdRef PackedVectorFormat?
4454 OpUDotAccSat IdResultType IdResult IdRef IdRef IdRef PackedVectorFormat?
4455 OpSUDotAccSat IdResultType IdResult IdRef IdRef IdRef PackedVectorFormat?
5056 OpReadClockKHR IdResultType IdResult IdScope
5571 OpSubgroupShuffleINTEL IdResultType IdResult IdRef IdRef
5572 OpSubgroupShuffleDownINTEL IdResultType IdResult IdRef IdRef IdRef
5573 OpSubgroupShuffleUpINTEL IdResultType IdResult IdRef IdRef IdRef
5574 OpSubgroupShuffleXorINTEL IdResultType IdResult IdRef IdRef
5575 OpSubgroupBlockReadINTEL IdResultType IdResult IdRef
5576 OpSubgroupBlockWriteINTEL IdRef IdRef
5577 OpSubgroupImageBlockReadINTEL IdResultType IdResult IdRef IdRef
5578 OpSubgroupImageBlockWriteINTEL IdRef IdRef IdRef
5580 OpSubgroupImageMediaBlockReadINTEL IdResultType IdResult IdRef IdRef IdRef IdRef
5581 OpSubgroupImageMediaBlockWriteINTEL IdRef IdRef IdRef IdRef IdRef
5600 OpConstantFunctionPointerINTEL IdResultType IdResult IdRef
5601 OpFunctionPointerCallINTEL IdResultType IdResult IdRef*
5609 OpAsmTargetINTEL IdResultType IdResult LiteralString
5610 OpAsmINTEL IdResultType IdResult IdRef IdRef LiteralString LiteralString
5611 OpAsmCallINTEL IdResultType IdResult IdRef IdRef*
5614 OpAtomicFMinEXT IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
5615 OpAtomicFMaxEXT IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
5630 OpAssumeTrueKHR IdRef
5631 OpExpectKHR IdResultType IdResult IdRef IdRef
5632 OpDecorateString IdRef Decoration
5633 OpMemberDecorateString IdRef LiteralInteger Decoration
5818 OpVariableLengthArrayINTEL IdResultType IdResult IdRef
5819 OpSaveMemoryINTEL IdResultType IdResult
5820 OpRestoreMemoryINTEL IdRef
5887 OpLoopControlINTEL LiteralInteger*
5911 OpAliasDomainDeclINTEL IdResult IdRef?
5912 OpAliasScopeDeclINTEL IdResult IdRef IdRef?
5913 OpAliasScopeListDeclINTEL IdResult IdRef*
5923 OpFixedSqrtINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5924 OpFixedRecipINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5925 OpFixedRsqrtINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5926 OpFixedSinINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5927 OpFixedCosINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5928 OpFixedSinCosINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5929 OpFixedSinPiINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5930 OpFixedCosPiINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5931 OpFixedSinCosPiINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5932 OpFixedLogINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5933 OpFixedExpINTEL IdResultType IdResult IdRef IdRef LiteralInteger LiteralInteger LiteralInteger LiteralInteger LiteralInteger
5934 OpPtrCastToCrossWorkgroupINTEL IdResultType IdResult IdRef
5938 OpCrossWorkgroupCastToPtrINTEL IdResultType IdResult IdRef
6035 OpAtomicFAddEXT IdResultType IdResult IdRef IdScope IdMemorySemantics IdRef
6086 OpTypeBufferSurfaceINTEL IdResult AccessQualifier
6090 OpTypeStructContinuedINTEL IdRef*
6091 OpConstantCompositeContinuedINTEL IdRef*
6092 OpSpecConstantCompositeContinuedINTEL IdRef*
6142 OpControlBarrierArriveINTEL IdScope IdScope IdMemorySemantics
6143 OpControlBarrierWaitINTEL IdScope IdScope IdMemorySemantics
6401 OpGroupIMulKHR IdResultType IdResult IdScope GroupOperation IdRef
6402 OpGroupFMulKHR IdResultType IdResult IdScope GroupOperation IdRef
6403 OpGroupBitwiseAndKHR IdResultType IdResult IdScope GroupOperation IdRef
6404 OpGroupBitwiseOrKHR IdResultType IdResult IdScope GroupOperation IdRef
6405 OpGroupBitwiseXorKHR IdResultType IdResult IdScope GroupOperation IdRef
6406 OpGroupLogicalAndKHR IdResultType IdResult IdScope GroupOperation IdRef
6407 OpGroupLogicalOrKHR IdResultType IdResult IdScope GroupOperation IdRef
6408 OpGroupLogicalXorKHR IdResultType IdResult IdScope GroupOperation IdRef
"""

# kind, value, name, parameters
ENUMERANTS = """
AccessQualifier 0 ReadOnly
AccessQualifier 1 WriteOnly
AccessQualifier 2 ReadWrite
AddressingModel 0 Logical
AddressingModel 1 Physical32
AddressingModel 2 Physical64
BuiltIn 9 Layer
BuiltIn 10 ViewportIndex
BuiltIn 24 NumWorkgroups
BuiltIn 25 WorkgroupSize
BuiltIn 26 WorkgroupId
BuiltIn 27 LocalInvocationId
BuiltIn 28 GlobalInvocationId
BuiltIn 29 LocalInvocationIndex
BuiltIn 30 WorkDim
BuiltIn 31 GlobalSize
BuiltIn 32 EnqueuedWorkgroupSize
BuiltIn 33 GlobalOffset
BuiltIn 34 GlobalLinearId
BuiltIn 36 SubgroupSize
BuiltIn 37 SubgroupMaxSize
BuiltIn 38 NumSubgroups
BuiltIn 39 NumEnqueuedSubgroups
BuiltIn 40 SubgroupId
BuiltIn 41 SubgroupLocalInvocationId
BuiltIn 4160 CoreIDARM
BuiltIn 4161 CoreCountARM
BuiltIn 4162 CoreMaxIDARM
BuiltIn 4163 WarpIDARM
BuiltIn 4164 WarpMaxIDARM
BuiltIn 4416 SubgroupEqMask
BuiltIn 4417 SubgroupGeMask
BuiltIn 4418 SubgroupGtMask
BuiltIn 4419 SubgroupLeMask
BuiltIn 4420 SubgroupLtMask
BuiltIn 4438 DeviceIndex
BuiltIn 5286 BaryCoordKHR
BuiltIn 5287 BaryCoordNoPerspKHR
BuiltIn 6021 CullMaskKHR
Capability 0 Matrix
Capability 4 Addresses
Capability 5 Linkage
Capability 6 Kernel
Capability 7 Vector16
Capability 8 Float16Buffer
Capability 9 Float16
Capability 10 Float64
Capability 11 Int64
Capability 12 Int64Atomics
Capability 13 ImageBasic
Capability 14 ImageReadWrite
Capability 15 ImageMipmap
Capability 17 Pipes
Capability 18 Groups
Capability 19 DeviceEnqueue
Capability 20 LiteralSampler
Capability 22 Int16
Capability 38 GenericPointer
Capability 39 Int8
Capability 43 Sampled1D
Capability 44 Image1D
Capability 46 SampledBuffer
Capability 47 ImageBuffer
Capability 58 SubgroupDispatch
Capability 59 NamedBarrier
Capability 60 PipeStorage
Capability 61 GroupNonUniform
Capability 62 GroupNonUniformVote
Capability 63 GroupNonUniformArithmetic
Capability 64 GroupNonUniformBallot
Capability 65 GroupNonUniformShuffle
Capability 66 GroupNonUniformShuffleRelative
Capability 67 GroupNonUniformClustered
Capability 68 GroupNonUniformQuad
Capability 69 ShaderLayer
Capability 70 ShaderViewportIndex
Capability 71 UniformDecoration
Capability 4165 CoreBuiltinsARM
Capability 4423 SubgroupBallotKHR
Capability 4431 SubgroupVoteKHR
Capability 4433 StorageBuffer16BitAccess
Capability 4434 UniformAndStorageBuffer16BitAccess
Capability 4435 StoragePushConstant16
Capability 4436 StorageInputOutput16
Capability 4437 DeviceGroup
Capability 4445 AtomicStorageOps
Capability 4447 SampleMaskPostDepthCoverage
Capability 4448 StorageBuffer8BitAccess
Capability 4449 UniformAndStorageBuffer8BitAccess
Capability 4450 StoragePushConstant8
Capability 4464 DenormPreserve
Capability 4465 DenormFlushToZero
Capability 4466 SignedZeroInfNanPreserve
Capability 4467 RoundingModeRTE
Capability 4468 RoundingModeRTZ
Capability 5055 ShaderClockKHR
Capability 5284 FragmentBarycentricKHR
Capability 5304 UniformTexelBufferArrayDynamicIndexing
Capability 5305 StorageTexelBufferArrayDynamicIndexing
Capability 5311 UniformTexelBufferArrayNonUniformIndexing
Capability 5312 StorageTexelBufferArrayNonUniformIndexing
Capability 5345 VulkanMemoryModel
Capability 5346 VulkanMemoryModelDeviceScope
Capability 5568 SubgroupShuffleINTEL
Capability 5569 SubgroupBufferBlockIOINTEL
Capability 5570 SubgroupImageBlockIOINTEL
Capability 5579 SubgroupImageMediaBlockIOINTEL
Capability 5582 RoundToInfinityINTEL
Capability 5583 FloatingPointModeINTEL
Capability 5603 FunctionPointersINTEL
Capability 5604 IndirectReferencesINTEL
Capability 5606 AsmINTEL
Capability 5612 AtomicFloat32MinMaxEXT
Capability 5613 AtomicFloat64MinMaxEXT
Capability 5616 AtomicFloat16MinMaxEXT
Capability 5617 VectorComputeINTEL
Capability 5619 VectorAnyINTEL
Capability 5629 ExpectAssumeKHR
Capability 5817 VariableLengthArrayINTEL
Capability 5821 FunctionFloatControlINTEL
Capability 5837 FPFastMathModeINTEL
Capability 5886 UnstructuredLoopControlsINTEL
Capability 5892 KernelAttributesINTEL
Capability 5906 LoopFuseINTEL
Capability 5910 MemoryAccessAliasingINTEL
Capability 5935 USMStorageClassesINTEL
Capability 5939 RuntimeAlignedAttributeINTEL
Capability 5943 IOPipesINTEL
Capability 5945 BlockingPipesINTEL
Capability 6016 DotProductInputAll
Capability 6017 DotProductInput4x8Bit
Capability 6018 DotProductInput4x8BitPacked
Capability 6019 DotProduct
Capability 6020 RayCullMaskKHR
Capability 6025 BitInstructions
Capability 6026 GroupNonUniformRotateKHR
Capability 6033 AtomicFloat32AddEXT
Capability 6034 AtomicFloat64AddEXT
Capability 6089 LongConstantCompositeINTEL
Capability 6094 OptNoneINTEL
Capability 6095 AtomicFloat16AddEXT
Capability 6114 DebugInfoModuleINTEL
Capability 6141 SplitBarrierINTEL
Capability 6187 GlobalVariableHostAccessINTEL
Capability 6400 GroupUniformArithmeticKHR
Decoration 1 SpecId LiteralInteger
Decoration 10 CPacked
Decoration 11 BuiltIn BuiltIn
Decoration 19 Restrict
Decoration 20 Aliased
Decoration 21 Volatile
Decoration 22 Constant
Decoration 23 Coherent
Decoration 24 NonWritable
Decoration 25 NonReadable
Decoration 26 Uniform
Decoration 27 UniformId IdScope
Decoration 28 SaturatedConversion
Decoration 38 FuncParamAttr FunctionParameterAttribute
Decoration 39 FPRoundingMode FPRoundingMode
Decoration 40 FPFastMathMode FPFastMathMode
Decoration 41 LinkageAttributes LiteralString LinkageType
Decoration 44 Alignment LiteralInteger
Decoration 45 MaxByteOffset LiteralInteger
Decoration 46 AlignmentId IdRef
Decoration 47 MaxByteOffsetId IdRef
Decoration 4469 NoSignedWrap
Decoration 4470 NoUnsignedWrap
Decoration 5285 PerVertexKHR
Decoration 5599 SIMTCallINTEL LiteralInteger
Decoration 5602 ReferencedIndirectlyINTEL
Decoration 5607 ClobberINTEL LiteralString
Decoration 5608 SideEffectsINTEL
Decoration 5624 VectorComputeVariableINTEL
Decoration 5625 FuncParamIOKindINTEL LiteralInteger
Decoration 5626 VectorComputeFunctionINTEL
Decoration 5627 StackCallINTEL
Decoration 5628 GlobalVariableOffsetINTEL LiteralInteger
Decoration 5634 CounterBuffer IdRef
Decoration 5635 UserSemantic LiteralString
Decoration 5822 FunctionRoundingModeINTEL LiteralInteger FPRoundingMode
Decoration 5823 FunctionDenormModeINTEL LiteralInteger FPDenormMode
Decoration 5825 RegisterINTEL
Decoration 5826 MemoryINTEL LiteralString
Decoration 5827 NumbanksINTEL LiteralInteger
Decoration 5828 BankwidthINTEL LiteralInteger
Decoration 5829 MaxPrivateCopiesINTEL LiteralInteger
Decoration 5830 SinglepumpINTEL
Decoration 5831 DoublepumpINTEL
Decoration 5832 MaxReplicatesINTEL LiteralInteger
Decoration 5833 SimpleDualPortINTEL
Decoration 5834 MergeINTEL LiteralString LiteralString
Decoration 5835 BankBitsINTEL LiteralInteger*
Decoration 5836 ForcePow2DepthINTEL LiteralInteger
Decoration 5899 BurstCoalesceINTEL
Decoration 5900 CacheSizeINTEL LiteralInteger
Decoration 5901 DontStaticallyCoalesceINTEL
Decoration 5902 PrefetchINTEL LiteralInteger
Decoration 5905 StallEnableINTEL
Decoration 5907 FuseLoopsInFunctionINTEL
Decoration 5909 MathOpDSPModeINTEL LiteralInteger LiteralInteger
Decoration 5914 AliasScopeINTEL IdRef
Decoration 5915 NoAliasINTEL IdRef
Decoration 5917 InitiationIntervalINTEL LiteralInteger
Decoration 5918 MaxConcurrencyINTEL LiteralInteger
Decoration 5919 PipelineEnableINTEL LiteralInteger
Decoration 5921 BufferLocationINTEL LiteralInteger
Decoration 5944 IOPipeStorageINTEL LiteralInteger
Decoration 6080 FunctionFloatingPointModeINTEL LiteralInteger FPOperationMode
Decoration 6085 SingleElementVectorINTEL
Decoration 6087 VectorComputeCallableFunctionINTEL
Decoration 6140 MediaBlockIOINTEL
Decoration 6188 HostAccessINTEL HostAccessQualifier LiteralString
Dim 0 1D
Dim 1 2D
Dim 2 3D
Dim 5 Buffer
ExecutionMode 17 LocalSize LiteralInteger LiteralInteger LiteralInteger
ExecutionMode 18 LocalSizeHint LiteralInteger LiteralInteger LiteralInteger
ExecutionMode 30 VecTypeHint LiteralInteger
ExecutionMode 31 ContractionOff
ExecutionMode 33 Initializer
ExecutionMode 34 Finalizer
ExecutionMode 35 SubgroupSize LiteralInteger
ExecutionMode 36 SubgroupsPerWorkgroup LiteralInteger
ExecutionMode 37 SubgroupsPerWorkgroupId IdRef
ExecutionMode 38 LocalSizeId IdRef IdRef IdRef
ExecutionMode 39 LocalSizeHintId IdRef IdRef IdRef
ExecutionMode 4446 PostDepthCoverage
ExecutionMode 4459 DenormPreserve LiteralInteger
ExecutionMode 4460 DenormFlushToZero LiteralInteger
ExecutionMode 4461 SignedZeroInfNanPreserve LiteralInteger
ExecutionMode 4462 RoundingModeRTE LiteralInteger
ExecutionMode 4463 RoundingModeRTZ LiteralInteger
ExecutionMode 5618 SharedLocalMemorySizeINTEL LiteralInteger
ExecutionMode 5620 RoundingModeRTPINTEL LiteralInteger
ExecutionMode 5621 RoundingModeRTNINTEL LiteralInteger
ExecutionMode 5622 FloatingPointModeALTINTEL LiteralInteger
ExecutionMode 5623 FloatingPointModeIEEEINTEL LiteralInteger
ExecutionMode 5893 MaxWorkgroupSizeINTEL LiteralInteger LiteralInteger LiteralInteger
ExecutionMode 5894 MaxWorkDimINTEL LiteralInteger
ExecutionMode 5895 NoGlobalOffsetINTEL
ExecutionMode 5896 NumSIMDWorkitemsINTEL LiteralInteger
ExecutionMode 5903 SchedulerTargetFmaxMhzINTEL LiteralInteger
ExecutionMode 6154 StreamingInterfaceINTEL LiteralInteger
ExecutionMode 6417 NamedBarrierCountINTEL LiteralInteger
ExecutionModel 6 Kernel
FPDenormMode 0 Preserve
FPDenormMode 1 FlushToZero
FPFastMathMode 0 None
FPFastMathMode 1 NotNaN
FPFastMathMode 2 NotInf
FPFastMathMode 4 NSZ
FPFastMathMode 8 AllowRecip
FPFastMathMode 16 Fast
FPFastMathMode 65536 AllowContractFastINTEL
FPFastMathMode 131072 AllowReassocINTEL
FPOperationMode 0 IEEE
FPOperationMode 1 ALT
FPRoundingMode 0 RTE
FPRoundingMode 1 RTZ
FPRoundingMode 2 RTP
FPRoundingMode 3 RTN
FunctionControl 0 None
FunctionControl 1 Inline
FunctionControl 2 DontInline
FunctionControl 4 Pure
FunctionControl 8 Const
FunctionControl 65536 OptNoneINTEL
FunctionParameterAttribute 0 Zext
FunctionParameterAttribute 1 Sext
FunctionParameterAttribute 2 ByVal
FunctionParameterAttribute 3 Sret
FunctionParameterAttribute 4 NoAlias
FunctionParameterAttribute 5 NoCapture
FunctionParameterAttribute 6 NoWrite
FunctionParameterAttribute 7 NoReadWrite
FunctionParameterAttribute 5940 RuntimeAlignedINTEL
GroupOperation 0 Reduce
GroupOperation 1 InclusiveScan
GroupOperation 2 ExclusiveScan
GroupOperation 3 ClusteredReduce
HostAccessQualifier 0 NoneINTEL
HostAccessQualifier 1 ReadINTEL
HostAccessQualifier 2 WriteINTEL
HostAccessQualifier 3 ReadWriteINTEL
ImageChannelDataType 0 SnormInt8
ImageChannelDataType 1 SnormInt16
ImageChannelDataType 2 UnormInt8
ImageChannelDataType 3 UnormInt16
ImageChannelDataType 4 UnormShort565
ImageChannelDataType 5 UnormShort555
ImageChannelDataType 6 UnormInt101010
ImageChannelDataType 7 SignedInt8
ImageChannelDataType 8 SignedInt16
ImageChannelDataType 9 SignedInt32
ImageChannelDataType 10 UnsignedInt8
ImageChannelDataType 11 UnsignedInt16
ImageChannelDataType 12 UnsignedInt32
ImageChannelDataType 13 HalfFloat
ImageChannelDataType 14 Float
ImageChannelDataType 15 UnormInt24
ImageChannelDataType 16 UnormInt101010_2
ImageChannelOrder 0 R
ImageChannelOrder 1 A
ImageChannelOrder 2 RG
ImageChannelOrder 3 RA
ImageChannelOrder 4 RGB
ImageChannelOrder 5 RGBA
ImageChannelOrder 6 BGRA
ImageChannelOrder 7 ARGB
ImageChannelOrder 8 Intensity
ImageChannelOrder 9 Luminance
ImageChannelOrder 10 Rx
ImageChannelOrder 11 RGx
ImageChannelOrder 12 RGBx
ImageChannelOrder 13 Depth
ImageChannelOrder 14 DepthStencil
ImageChannelOrder 15 sRGB
ImageChannelOrder 16 sRGBx
ImageChannelOrder 17 sRGBA
ImageChannelOrder 18 sBGRA
ImageChannelOrder 19 ABGR
ImageFormat 0 Unknown
ImageOperands 0 None
ImageOperands 2 Lod IdRef
ImageOperands 4 Grad IdRef IdRef
ImageOperands 8 ConstOffset IdRef
ImageOperands 64 Sample IdRef
ImageOperands 256 MakeTexelAvailable IdScope
ImageOperands 512 MakeTexelVisible IdScope
ImageOperands 1024 NonPrivateTexel
ImageOperands 2048 VolatileTexel
ImageOperands 4096 SignExtend
ImageOperands 8192 ZeroExtend
ImageOperands 16384 Nontemporal
ImageOperands 65536 Offsets IdRef
KernelEnqueueFlags 0 NoWait
KernelEnqueueFlags 1 WaitKernel
KernelEnqueueFlags 2 WaitWorkGroup
KernelProfilingInfo 0 None
KernelProfilingInfo 1 CmdExecTime
LinkageType 0 Export
LinkageType 1 Import
LinkageType 2 LinkOnceODR
LoopControl 0 None
LoopControl 1 Unroll
LoopControl 2 DontUnroll
LoopControl 4 DependencyInfinite
LoopControl 8 DependencyLength LiteralInteger
LoopControl 16 MinIterations LiteralInteger
LoopControl 32 MaxIterations LiteralInteger
LoopControl 64 IterationMultiple LiteralInteger
LoopControl 128 PeelCount LiteralInteger
LoopControl 256 PartialCount LiteralInteger
LoopControl 65536 InitiationIntervalINTEL LiteralInteger
LoopControl 131072 MaxConcurrencyINTEL LiteralInteger
LoopControl 262144 DependencyArrayINTEL LiteralInteger
LoopControl 524288 PipelineEnableINTEL LiteralInteger
LoopControl 1048576 LoopCoalesceINTEL LiteralInteger
LoopControl 2097152 MaxInterleavingINTEL LiteralInteger
LoopControl 4194304 SpeculatedIterationsINTEL LiteralInteger
LoopControl 8388608 NoFusionINTEL
LoopControl 16777216 LoopCountINTEL LiteralInteger
LoopControl 33554432 MaxReinvocationDelayINTEL LiteralInteger
MemoryAccess 0 None
MemoryAccess 1 Volatile
MemoryAccess 2 Aligned LiteralInteger
MemoryAccess 4 Nontemporal
MemoryAccess 8 MakePointerAvailable IdScope
MemoryAccess 16 MakePointerVisible IdScope
MemoryAccess 32 NonPrivatePointer
MemoryAccess 65536 AliasScopeINTELMask IdRef
MemoryAccess 131072 NoAliasINTELMask IdRef
MemoryModel 2 OpenCL
MemoryModel 3 Vulkan
MemorySemantics 0 Relaxed
MemorySemantics 2 Acquire
MemorySemantics 4 Release
MemorySemantics 8 AcquireRelease
MemorySemantics 16 SequentiallyConsistent
MemorySemantics 128 SubgroupMemory
MemorySemantics 256 WorkgroupMemory
MemorySemantics 512 CrossWorkgroupMemory
MemorySemantics 2048 ImageMemory
MemorySemantics 4096 OutputMemory
MemorySemantics 8192 MakeAvailable
MemorySemantics 16384 MakeVisible
MemorySemantics 32768 Volatile
OverflowModes 0 WRAP
OverflowModes 1 SAT
OverflowModes 2 SAT_ZERO
OverflowModes 3 SAT_SYM
PackedVectorFormat 0 PackedVectorFormat4x8Bit
QuantizationModes 0 TRN
QuantizationModes 1 TRN_ZERO
QuantizationModes 2 RND
QuantizationModes 3 RND_ZERO
QuantizationModes 4 RND_INF
QuantizationModes 5 RND_MIN_INF
QuantizationModes 7 RND_CONV_ODD
SamplerAddressingMode 0 None
SamplerAddressingMode 1 ClampToEdge
SamplerAddressingMode 2 Clamp
SamplerAddressingMode 3 Repeat
SamplerAddressingMode 4 RepeatMirrored
SamplerFilterMode 0 Nearest
SamplerFilterMode 1 Linear
Scope 0 CrossDevice
Scope 1 Device
Scope 2 Workgroup
Scope 3 Subgroup
Scope 4 Invocation
Scope 5 QueueFamily
SelectionControl 0 None
SelectionControl 1 Flatten
SelectionControl 2 DontFlatten
SourceLanguage 0 Unknown
SourceLanguage 1 ESSL
SourceLanguage 2 GLSL
SourceLanguage 3 OpenCL_C
SourceLanguage 4 OpenCL_CPP
SourceLanguage 5 HLSL
SourceLanguage 6 CPP_for_OpenCL
SourceLanguage 7 SYCL
StorageClass 0 UniformConstant
StorageClass 1 Input
StorageClass 4 Workgroup
StorageClass 5 CrossWorkgroup
StorageClass 6 Private
StorageClass 7 Function
StorageClass 8 Generic
StorageClass 11 Image
StorageClass 5605 CodeSectionINTEL
StorageClass 5936 DeviceOnlyINTEL
StorageClass 5937 HostOnlyINTEL
"""

# number, name, operands behind the set and the number
OPENCL_STD = """
0 acos IdRef
1 acosh IdRef
2 acospi IdRef
3 asin IdRef
4 asinh IdRef
5 asinpi IdRef
6 atan IdRef
7 atan2 IdRef IdRef
8 atanh IdRef
9 atanpi IdRef
10 atan2pi IdRef IdRef
11 cbrt IdRef
12 ceil IdRef
13 copysign IdRef IdRef
14 cos IdRef
15 cosh IdRef
16 cospi IdRef
17 erfc IdRef
18 erf IdRef
19 exp IdRef
20 exp2 IdRef
21 exp10 IdRef
22 expm1 IdRef
23 fabs IdRef
24 fdim IdRef IdRef
25 floor IdRef
26 fma IdRef IdRef IdRef
27 fmax IdRef IdRef
28 fmin IdRef IdRef
29 fmod IdRef IdRef
30 fract IdRef IdRef
31 frexp IdRef IdRef
32 hypot IdRef IdRef
33 ilogb IdRef
34 ldexp IdRef IdRef
35 lgamma IdRef
36 lgamma_r IdRef IdRef
37 log IdRef
38 log2 IdRef
39 log10 IdRef
40 log1p IdRef
41 logb IdRef
42 mad IdRef IdRef IdRef
43 maxmag IdRef IdRef
44 minmag IdRef IdRef
45 modf IdRef IdRef
46 nan IdRef
47 nextafter IdRef IdRef
48 pow IdRef IdRef
49 pown IdRef IdRef
50 powr IdRef IdRef
51 remainder IdRef IdRef
52 remquo IdRef IdRef IdRef
53 rint IdRef
54 rootn IdRef IdRef
55 round IdRef
56 rsqrt IdRef
57 sin IdRef
58 sincos IdRef IdRef
59 sinh IdRef
60 sinpi IdRef
61 sqrt IdRef
62 tan IdRef
63 tanh IdRef
64 tanpi IdRef
65 tgamma IdRef
66 trunc IdRef
67 half_cos IdRef
68 half_divide IdRef IdRef
69 half_exp IdRef
70 half_exp2 IdRef
71 half_exp10 IdRef
72 half_log IdRef
73 half_log2 IdRef
74 half_log10 IdRef
75 half_powr IdRef IdRef
76 half_recip IdRef
77 half_rsqrt IdRef
78 half_sin IdRef
79 half_sqrt IdRef
80 half_tan IdRef
81 native_cos IdRef
82 native_divide IdRef IdRef
83 native_exp IdRef
84 native_exp2 IdRef
85 native_exp10 IdRef
86 native_log IdRef
87 native_log2 IdRef
88 native_log10 IdRef
89 native_powr IdRef IdRef
90 native_recip IdRef
91 native_rsqrt IdRef
92 native_sin IdRef
93 native_sqrt IdRef
94 native_tan IdRef
95 fclamp IdRef IdRef IdRef
96 degrees IdRef
97 fmax_common IdRef IdRef
98 fmin_common IdRef IdRef
99 mix IdRef IdRef IdRef
100 radians IdRef
101 step IdRef IdRef
102 smoothstep IdRef IdRef IdRef
103 sign IdRef
104 cross IdRef IdRef
105 distance IdRef IdRef
106 length IdRef
107 normalize IdRef
108 fast_distance IdRef IdRef
109 fast_length IdRef
110 fast_normalize IdRef
141 s_abs IdRef
142 s_abs_diff IdRef IdRef
143 s_add_sat IdRef IdRef
144 u_add_sat IdRef IdRef
145 s_hadd IdRef IdRef
146 u_hadd IdRef IdRef
147 s_rhadd IdRef IdRef
148 u_rhadd IdRef IdRef
149 s_clamp IdRef IdRef IdRef
150 u_clamp IdRef IdRef IdRef
151 clz IdRef
152 ctz IdRef
153 s_mad_hi IdRef IdRef IdRef
154 u_mad_sat IdRef IdRef IdRef
155 s_mad_sat IdRef IdRef IdRef
156 s_max IdRef IdRef
157 u_max IdRef IdRef
158 s_min IdRef IdRef
159 u_min IdRef IdRef
160 s_mul_hi IdRef IdRef
161 rotate IdRef IdRef
162 s_sub_sat IdRef IdRef
163 u_sub_sat IdRef IdRef
164 u_upsample IdRef IdRef
165 s_upsample IdRef IdRef
166 popcount IdRef
167 s_mad24 IdRef IdRef IdRef
168 u_mad24 IdRef IdRef IdRef
169 s_mul24 IdRef IdRef
170 u_mul24 IdRef IdRef
171 vloadn IdRef IdRef LiteralInteger
172 vstoren IdRef IdRef IdRef
173 vload_half IdRef IdRef
174 vload_halfn IdRef IdRef LiteralInteger
175 vstore_half IdRef IdRef IdRef
176 vstore_half_r IdRef IdRef IdRef FPRoundingMode
177 vstore_halfn IdRef IdRef IdRef
178 vstore_halfn_r IdRef IdRef IdRef FPRoundingMode
179 vloada_halfn IdRef IdRef LiteralInteger
180 vstorea_halfn IdRef IdRef IdRef
181 vstorea_halfn_r IdRef IdRef IdRef FPRoundingMode
182 shuffle IdRef IdRef
183 shuffle2 IdRef IdRef IdRef
184 printf IdRef IdRef*
185 prefetch IdRef IdRef
186 bitselect IdRef IdRef IdRef
187 select IdRef IdRef IdRef
201 u_abs IdRef
202 u_abs_diff IdRef IdRef
203 u_mul_hi IdRef IdRef
204 u_mad_hi IdRef IdRef IdRef
"""
