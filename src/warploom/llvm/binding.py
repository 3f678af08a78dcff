# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM-C through ctypes: the functions that Warploom calls, each with its C signature, and nothing else.

Handles are opaque integers; 0 is null. The table is checked when the library is loaded: a libLLVM that lacks one of the
functions is refused by name, instead of crashing later.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from warploom.diagnostics import Diagnostic

Handle = int

# p: pointer or handle, s: C string, u: unsigned, i: int, U: unsigned 64-bit, z: size_t, b: bool (int), v: void;
# r: a pointer out parameter. The first letter is the result.
SIGNATURES: dict[str, str] = {
    "LLVMContextCreate": "p",
    "LLVMDisposeMessage": "vp",
    "LLVMCreateMemoryBufferWithContentsOfFile": "bsrr",
    "LLVMCreateMemoryBufferWithMemoryRangeCopy": "pszs",
    "LLVMParseBitcodeInContext2": "bppr",
    "LLVMParseIRInContext": "bpprr",
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
    "LLVMOffsetOfElement": "Uppu",
    "LLVMStructGetTypeAtIndex": "ppu",
    "LLVMGetEntryBasicBlock": "pp",
    "LLVMGetFirstBasicBlock": "pp",
    "LLVMGetNextBasicBlock": "pp",
    "LLVMBasicBlockAsValue": "pp",
    "LLVMGetFirstInstruction": "pp",
    "LLVMGetNextInstruction": "pp",
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
    "LLVMIsAConstantExpr": "pp",
    "LLVMIsAConstantInt": "pp",
    "LLVMIsAAllocaInst": "pp",
    "LLVMIsAStoreInst": "pp",
    "LLVMIsAMemCpyInst": "pp",
    "LLVMIsAGetElementPtrInst": "pp",
    "LLVMIsAGlobalVariable": "pp",
    "LLVMIsAInlineAsm": "pp",
    "LLVMIsAZExtInst": "pp",
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
    "LLVMValueAsMetadata": "pp",
    "LLVMGetMDNodeNumOperands": "up",
    "LLVMGetMDNodeOperands": "vpp",
    "LLVMGetMetadataKind": "up",
    "LLVMGetPoison": "pp",
    "LLVMReplaceAllUsesWith": "vpp",
    "LLVMGetDataLayoutStr": "pp",
    "LLVMGetTarget": "pp",
    "LLVMGetArrayLength2": "Up",
    "LLVMBuildIntCast2": "ppppis",
    "LLVMBuildFence": "ppiis",
    "LLVMInstructionEraseFromParent": "vp",
    "LLVMInt32TypeInContext": "pp",
    "LLVMBuildICmp": "ppipps",
    "LLVMBuildSelect": "ppppps",
    "LLVMGetIntTypeWidth": "up",
    "LLVMLookupIntrinsicID": "usz",
    "LLVMGetIntrinsicDeclaration": "ppupz",
    "LLVMIsAConstant": "pp",
    "LLVMBuildFCmp": "ppipps",
    "LLVMDITypeGetSizeInBits": "Up",
    "LLVMGetEnumAttributeKindForName": "usz",
    "LLVMGetEnumAttributeAtIndex": "ppuu",
    "LLVMGetTypeAttributeValue": "pp",
    "LLVMGetEnumAttributeValue": "Up",
    "LLVMCreateEnumAttribute": "ppuU",
    "LLVMAddAttributeAtIndex": "vpup",
    "LLVMInt8TypeInContext": "pp",
    "LLVMInt64TypeInContext": "pp",
    "LLVMVoidTypeInContext": "pp",
    "LLVMPointerTypeInContext": "ppu",
    "LLVMFunctionType": "pppui",
    "LLVMConstInt": "ppUi",
    "LLVMConstNull": "pp",
    "LLVMCreateBuilderInContext": "pp",
    "LLVMDisposeBuilder": "vp",
    "LLVMPositionBuilderBefore": "vpp",
    "LLVMBuildCall2": "pppppus",
    "LLVMBuildGEP2": "pppppus",
    "LLVMBuildLoad2": "pppps",
    "LLVMBuildAdd": "pppps",
    "LLVMBuildSub": "pppps",
    "LLVMBuildXor": "pppps",
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
    "LLVMStripModuleDebugInfo": "bp",
}

_TYPES: dict[str, Any] = {
    "p": ctypes.c_void_p,
    "r": ctypes.c_void_p,
    "s": ctypes.c_char_p,
    "u": ctypes.c_uint,
    "i": ctypes.c_int,
    "b": ctypes.c_int,
    "U": ctypes.c_uint64,
    "z": ctypes.c_size_t,
    "v": None,
}

TARGETS = ("X86", "AArch64", "RISCV")


@lru_cache(maxsize=2)
def load(path: Path) -> SimpleNamespace:
    """The functions of the table, with their signatures, and no others; the targets are initialised."""
    library = ctypes.CDLL(str(path))
    functions: dict[str, Any] = {}
    for name, signature in SIGNATURES.items():
        function = getattr(library, name, None)
        if function is None:
            raise Diagnostic(f"{path} has no {name}: it is too old", hint="use LLVM 19 or newer")
        function.restype = _TYPES[signature[0]]
        function.argtypes = [_TYPES[letter] for letter in signature[1:]]
        functions[name] = function
    for target in TARGETS:
        for part in ("TargetInfo", "Target", "TargetMC", "AsmPrinter"):
            initialise = getattr(library, f"LLVMInitialize{target}{part}", None)
            if initialise is not None:
                initialise()
    return SimpleNamespace(**functions)
