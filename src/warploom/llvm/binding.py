# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM-C through ctypes: the functions that Warploom calls, each with its C signature, and nothing else.

Handles are opaque integers; 0 is null. The table is checked when the library is loaded: a libLLVM that lacks one of the
functions is refused by name, instead of crashing later.
"""

from __future__ import annotations

import ctypes
import os
import threading
from functools import cache
from pathlib import Path

from warploom.core.type_names import Any
from warploom.diagnostics import Diagnostic

Handle = int

# p: pointer or handle, s: C string, u: unsigned, i: int, U and I: unsigned and signed 64-bit, z: size_t, b: bool (int),
# v: void, r: a pointer out parameter. The first letter is the result.
SIGNATURES: dict[str, str] = {
    "LLVMContextCreate": "p",
    "LLVMContextDispose": "vp",
    "LLVMDisposeTargetMachine": "vp",
    "LLVMContextSetDiagnosticHandler": "vppp",
    "LLVMGetDiagInfoSeverity": "up",
    "LLVMGetDiagInfoDescription": "pp",
    "LLVMDisposeMessage": "vp",
    "LLVMCreateMemoryBufferWithContentsOfFile": "bsrr",
    "LLVMCreateMemoryBufferWithMemoryRangeCopy": "pszs",
    "LLVMDisposeMemoryBuffer": "vp",
    "LLVMParseBitcodeInContext2": "bppr",
    "LLVMGetBitcodeModuleInContext2": "bppr",
    "LLVMGetSourceFileName": "spr",
    "LLVMSetSourceFileName": "vpsz",
    "LLVMParseIRInContext": "bpprr",
    "LLVMWriteBitcodeToFile": "ips",
    "LLVMPrintModuleToFile": "bpsr",
    "LLVMPrintValueToString": "pp",
    "LLVMPrintTypeToString": "pp",
    "LLVMLinkModules2": "bpp",
    "LLVMVerifyModule": "bpir",
    "LLVMGetModuleDataLayout": "pp",
    "LLVMGetFirstFunction": "pp",
    "LLVMGetNextFunction": "pp",
    "LLVMGetNamedFunction": "pps",
    "LLVMGetFirstGlobal": "pp",
    "LLVMGetNextGlobal": "pp",
    "LLVMGetNamedGlobal": "pps",
    "LLVMAddFunction": "ppsp",
    "LLVMAddGlobal": "ppps",
    "LLVMDeleteGlobal": "vp",
    "LLVMGetFirstGlobalAlias": "pp",
    "LLVMGetNextGlobalAlias": "pp",
    "LLVMGetValueName2": "ppr",
    "LLVMSetValueName2": "vpsz",
    "LLVMGlobalGetValueType": "pp",
    "LLVMGetStructName": "sp",
    "LLVMIsDeclaration": "bp",
    "LLVMIsGlobalConstant": "bp",
    "LLVMSetGlobalConstant": "vpi",
    "LLVMIsExternallyInitialized": "bp",
    "LLVMSetExternallyInitialized": "vpi",
    "LLVMGetInitializer": "pp",
    "LLVMSetInitializer": "vpp",
    "LLVMGetLinkage": "ip",
    "LLVMSetLinkage": "vpi",
    "LLVMGetVisibility": "ip",
    "LLVMSetVisibility": "vpi",
    "LLVMSetComdat": "vpp",
    "LLVMGetAlignment": "up",
    "LLVMIsUndef": "bp",
    "LLVMIsPoison": "bp",
    "LLVMIsNull": "bp",
    "LLVMCountParams": "up",
    "LLVMGetParam": "ppu",
    "LLVMTypeOf": "pp",
    "LLVMGetTypeKind": "ip",
    "LLVMGetElementType": "pp",
    "LLVMGetAllocatedType": "pp",
    "LLVMABISizeOfType": "Upp",
    "LLVMStoreSizeOfType": "Upp",
    "LLVMOffsetOfElement": "Uppu",
    "LLVMStructGetTypeAtIndex": "ppu",
    "LLVMGetEntryBasicBlock": "pp",
    "LLVMGetFirstBasicBlock": "pp",
    "LLVMGetNextBasicBlock": "pp",
    "LLVMBasicBlockAsValue": "pp",
    "LLVMGetFirstInstruction": "pp",
    "LLVMGetNextInstruction": "pp",
    "LLVMGetPreviousInstruction": "pp",
    "LLVMGetInstructionOpcode": "ip",
    "LLVMGetInstructionParent": "pp",
    "LLVMGetBasicBlockParent": "pp",
    "LLVMGetNumOperands": "ip",
    "LLVMGetOperand": "ppu",
    "LLVMSetOperand": "vpup",
    "LLVMGetFirstUse": "pp",
    "LLVMGetNextUse": "pp",
    "LLVMGetUser": "pp",
    "LLVMIsAInstruction": "pp",
    "LLVMIsAArgument": "pp",
    "LLVMGetParamParent": "pp",
    "LLVMIsAConstantExpr": "pp",
    "LLVMIsAConstantInt": "pp",
    "LLVMIsAAllocaInst": "pp",
    "LLVMIsAStoreInst": "pp",
    "LLVMIsAMemCpyInst": "pp",
    "LLVMIsAGetElementPtrInst": "pp",
    "LLVMIsAGlobalVariable": "pp",
    "LLVMGlobalCopyAllMetadata": "ppr",
    "LLVMValueMetadataEntriesGetMetadata": "ppu",
    "LLVMDisposeValueMetadataEntries": "vp",
    "LLVMIsAInlineAsm": "pp",
    "LLVMIsAZExtInst": "pp",
    "LLVMIsAIntToPtrInst": "pp",
    "LLVMIsATruncInst": "pp",
    "LLVMGetInlineAsmAsmString": "ppr",
    "LLVMGetConstOpcode": "ip",
    "LLVMConstIntGetZExtValue": "Up",
    "LLVMGetGEPSourceElementType": "pp",
    "LLVMGetCalledValue": "pp",
    "LLVMGetVolatile": "bp",
    "LLVMGetOrdering": "ip",
    "LLVMGetDebugLocLine": "up",
    "LLVMGetDebugLocFilename": "ppr",
    "LLVMGetSubprogram": "pp",
    "LLVMMetadataAsValue": "ppp",
    "LLVMGetNamedMetadataNumOperands": "ups",
    "LLVMGetNamedMetadataOperands": "vpsp",
    "LLVMReplaceMDNodeOperandWith": "vpup",
    "LLVMValueAsMetadata": "pp",
    "LLVMGetMDNodeNumOperands": "up",
    "LLVMGetMDNodeOperands": "vpp",
    "LLVMGetMetadataKind": "up",
    "LLVMGetPoison": "pp",
    "LLVMReplaceAllUsesWith": "vpp",
    "LLVMGetDataLayoutStr": "pp",
    "LLVMGetTarget": "pp",
    "LLVMGetArrayLength2": "Up",
    "LLVMInstructionEraseFromParent": "vp",
    "LLVMInstructionRemoveFromParent": "vp",
    "LLVMInt32TypeInContext": "pp",
    "LLVMBuildICmp": "ppipps",
    "LLVMBuildSelect": "ppppps",
    "LLVMGetIntTypeWidth": "up",
    "LLVMLookupIntrinsicID": "usz",
    "LLVMGetIntrinsicDeclaration": "ppupz",
    "LLVMIsAConstant": "pp",
    "LLVMBuildFCmp": "ppipps",
    "LLVMDITypeGetName": "ppr",
    "LLVMDITypeGetSizeInBits": "Up",
    "LLVMDITypeGetAlignInBits": "up",
    "LLVMDITypeGetOffsetInBits": "Up",
    "LLVMDITypeGetFlags": "ip",
    "LLVMGetDINodeTag": "up",
    "LLVMGetStringAttributeAtIndex": "ppusu",
    "LLVMGetStringAttributeValue": "ppr",
    "LLVMGetEnumAttributeKindForName": "usz",
    "LLVMGetEnumAttributeAtIndex": "ppuu",
    "LLVMGetTypeAttributeValue": "pp",
    "LLVMGetEnumAttributeValue": "Up",
    "LLVMCreateEnumAttribute": "ppuU",
    "LLVMCreateStringAttribute": "ppsusu",
    "LLVMAddAttributeAtIndex": "vpup",
    "LLVMInt8TypeInContext": "pp",
    "LLVMInt64TypeInContext": "pp",
    "LLVMVoidTypeInContext": "pp",
    "LLVMPointerTypeInContext": "ppu",
    "LLVMFunctionType": "pppui",
    "LLVMGetReturnType": "pp",
    "LLVMConstInt": "ppUi",
    "LLVMConstNull": "pp",
    "LLVMConstIntToPtr": "ppp",
    "LLVMCreateBuilderInContext": "pp",
    "LLVMDisposeBuilder": "vp",
    "LLVMPositionBuilderBefore": "vpp",
    "LLVMInsertIntoBuilder": "vpp",
    "LLVMBuildCall2": "pppppus",
    "LLVMBuildGEP2": "pppppus",
    "LLVMBuildAlloca": "ppps",
    "LLVMBuildStore": "pppp",
    "LLVMBuildInsertValue": "ppppus",
    "LLVMBuildLoad2": "pppps",
    "LLVMBuildAdd": "pppps",
    "LLVMBuildFNeg": "ppps",
    "LLVMBuildSub": "pppps",
    "LLVMBuildXor": "pppps",
    "LLVMBuildExtractElement": "pppps",
    "LLVMBuildInsertElement": "ppppps",
    "LLVMBuildRet": "ppp",
    "LLVMBuildRetVoid": "pp",
    "LLVMBuildTrunc": "pppps",
    "LLVMBuildPtrToInt": "pppps",
    "LLVMBuildIntToPtr": "pppps",
    "LLVMBuildBitCast": "pppps",
    "LLVMBuildAddrSpaceCast": "pppps",
    "LLVMGetTargetFromTriple": "bsrr",
    "LLVMCreateTargetMachine": "ppsssiii",
    "LLVMTargetMachineEmitToFile": "bppsir",
    "LLVMCreatePassBuilderOptions": "p",
    "LLVMDisposePassBuilderOptions": "vp",
    "LLVMRunPasses": "ppspp",
    "LLVMGetErrorMessage": "pp",
    "LLVMDisposeErrorMessage": "vp",
    "LLVMModuleCreateWithNameInContext": "psp",
    "LLVMDisposeModule": "vp",
    "LLVMStripModuleDebugInfo": "bp",
    "LLVMGetNUW": "bp",
    "LLVMGetNSW": "bp",
    "LLVMHasMetadata": "bp",
    "LLVMGetMetadata": "ppu",
    "LLVMSetMetadata": "vpup",
    "LLVMGetMDKindIDInContext": "upsu",
    "LLVMMDStringInContext2": "ppsz",
    "LLVMMDNodeInContext2": "pppz",
    "LLVMTemporaryMDNode": "pppz",
    "LLVMMetadataReplaceAllUsesWith": "vpp",
    "LLVMSetNSW": "vpb",
    "LLVMGetExact": "bp",
    "LLVMGetNNeg": "bp",
    "LLVMGetIsDisjoint": "bp",
    "LLVMCanValueUseFastMathFlags": "bp",
    "LLVMGetFastMathFlags": "up",
    "LLVMSetFastMathFlags": "vpu",
    "LLVMIsInBounds": "bp",
    "LLVMGetCondition": "pp",
    "LLVMGetNumSuccessors": "up",
    "LLVMGetSuccessor": "ppu",
    "LLVMCountIncoming": "up",
    "LLVMGetIncomingValue": "ppu",
    "LLVMGetIncomingBlock": "ppu",
    "LLVMGetBasicBlockTerminator": "pp",
    "LLVMGetICmpPredicate": "ip",
    "LLVMGetFCmpPredicate": "ip",
    "LLVMGetNumIndices": "up",
    "LLVMGetIndices": "pp",
    "LLVMGetNumMaskElements": "up",
    "LLVMGetMaskValue": "ipu",
    "LLVMInstructionGetDebugLoc": "pp",
    "LLVMInstructionSetDebugLoc": "vpp",
    "LLVMDILocationGetLine": "up",
    "LLVMDILocationGetColumn": "up",
    "LLVMDILocationGetScope": "pp",
    "LLVMDILocationGetInlinedAt": "pp",
    "LLVMDIScopeGetFile": "pp",
    "LLVMDIFileGetFilename": "ppr",
    "LLVMDIFileGetDirectory": "ppr",
    "LLVMDISubprogramGetLine": "up",
    "LLVMGetMDString": "ppr",
    "LLVMCreateDIBuilderDisallowUnresolved": "pp",
    "LLVMDisposeDIBuilder": "vp",
    "LLVMDIBuilderCreateExpression": "pprz",
    "LLVMDIBuilderCreateAutoVariable": "pppszpupbiu",
    "LLVMDIBuilderCreateDebugLocation": "ppuupp",
    "LLVMDIBuilderInsertDeclareRecordAtEnd": "ppppppp",
    "LLVMDIVariableGetLine": "up",
    "LLVMGetInsertBlock": "pp",
    "LLVMGetAtomicRMWBinOp": "ip",
    "LLVMGetCmpXchgSuccessOrdering": "ip",
    "LLVMGetCmpXchgFailureOrdering": "ip",
    "LLVMGetWeak": "bp",
    "LLVMIsAtomicSingleThread": "bp",
    "LLVMIsACallInst": "pp",
    "LLVMIsAFunction": "pp",
    "LLVMGetCallSiteEnumAttribute": "ppuu",
    "LLVMRemoveCallSiteEnumAttribute": "vpuu",
    "LLVMRemoveEnumAttributeAtIndex": "vpuu",
    "LLVMGetCalledFunctionType": "pp",
    "LLVMGetNumArgOperands": "up",
    "LLVMIsFunctionVarArg": "bp",
    "LLVMCountParamTypes": "up",
    "LLVMGetInlineAsmConstraintString": "ppr",
    "LLVMGetInlineAsmHasSideEffects": "bp",
    "LLVMIntTypeInContext": "ppu",
    "LLVMConstBitCast": "ppp",
    "LLVMIsAConstantFP": "pp",
    "LLVMIsAConstantPointerNull": "pp",
    "LLVMIsAGlobalValue": "pp",
    "LLVMGetAggregateElement": "ppu",
    "LLVMGetAsString": "ppr",
    "LLVMIsConstantString": "bp",
    "LLVMConstIntGetSExtValue": "Ip",
    "LLVMIsPackedStruct": "bp",
    "LLVMCountStructElementTypes": "up",
    "LLVMGetVectorSize": "up",
    "LLVMVectorType": "ppu",
    "LLVMFloatTypeInContext": "pp",
    "LLVMBuildCast": "ppipps",
    "LLVMGetPointerAddressSpace": "up",
    "LLVMSetAlignment": "vpu",
    "LLVMConstArray2": "pppU",
    "LLVMArrayType2": "ppU",
    "LLVMSetSection": "vps",
    "LLVMSetSubprogram": "vpp",
    "LLVMMoveBasicBlockAfter": "vpp",
    "LLVMDeleteBasicBlock": "vp",
    "LLVMGetAttributeCountAtIndex": "upu",
    "LLVMGetCallSiteAttributeCount": "upu",
    "LLVMGetAttributesAtIndex": "vpur",
}

# What LLVM has from version 22 on: ask with `hasattr`.
NEWER: dict[str, str] = {
    "LLVMGetFirstDbgRecord": "pp",
    "LLVMGetNextDbgRecord": "pp",
    "LLVMDbgRecordGetKind": "ip",
    "LLVMDbgVariableRecordGetValue": "ppu",
    "LLVMDbgVariableRecordGetExpression": "pp",
}

_TYPES: dict[str, Any] = {
    "p": ctypes.c_void_p,
    "r": ctypes.c_void_p,
    "s": ctypes.c_char_p,
    "u": ctypes.c_uint,
    "i": ctypes.c_int,
    "b": ctypes.c_int,
    "U": ctypes.c_uint64,
    "I": ctypes.c_int64,
    "z": ctypes.c_size_t,
    "v": None,
}

TARGETS = ("X86", "AArch64", "RISCV")

# Prologues stay at the entry of functions. Behind the first instructions that need no frame, where LLVM likes to put
# them, they may come where r11 holds a value; for a large frame they touch the stack a page at a time, and that loop
# counts in r11 all the same (X86, LLVM 23). VectorCombine makes scalars of vectors that hold one number; where such an
# operation turns out to be one that is there already, that one gets its flags: `lshr x, 6` became exact (LLVM 23).
OPTIONS = ("-enable-shrink-wrap=false", "-disable-vector-combine=true")


@cache
def load_meanwhile(path: Path) -> threading.Thread | None:
    """Have the library read by another thread, which lets Python go on; `load` waits for that."""
    opening = getattr(ctypes.CDLL(None), "dlopen", None)  # a foreign function, unlike ctypes.CDLL
    if opening is None:
        return None
    opening.restype, opening.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_int]
    thread = threading.Thread(target=opening, args=(os.fsencode(path), os.RTLD_NOW), name="warploom-llvm")
    thread.start()
    return thread


@cache  # options are given once
def load(path: Path) -> Any:
    """The functions of the table, with their signatures, and no others; the targets are initialised."""
    if (meanwhile := load_meanwhile(path)) is not None:
        meanwhile.join()
    library = ctypes.CDLL(str(path))
    for name in SIGNATURES:
        if not hasattr(library, name):
            raise Diagnostic(f"{path} has no {name}: it is too old", hint="use LLVM 19 or newer")
    for target in TARGETS:
        for part in ("TargetInfo", "Target", "TargetMC", "AsmPrinter"):
            initialise = getattr(library, f"LLVMInitialize{target}{part}", None)
            if initialise is not None:
                initialise()
    words = [b"warploom", *(each.encode() for each in OPTIONS)]
    library.LLVMParseCommandLineOptions(len(words), (ctypes.c_char_p * len(words))(*words), None)
    return _Functions(library)


class _Functions:
    """The functions of the tables; each gets its signature when it is first asked for."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self._library = library

    def __getattr__(self, name: str) -> Any:
        signature = SIGNATURES.get(name) or NEWER.get(name)
        if signature is None:
            raise AttributeError(name)
        function = getattr(self._library, name)
        function.restype = _TYPES[signature[0]]
        function.argtypes = [_TYPES[letter] for letter in signature[1:]]
        setattr(self, name, function)
        return function
