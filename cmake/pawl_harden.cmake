# pawl_harden(TARGET): what makes a memory fault in our code hard to exploit.
#
# Checked buffers and stacks, an image at a random address, and tables of the linker that are
# read-only before main() begins. `tests/hardening` looks at the program that comes out.

include(CheckCXXCompilerFlag)
option(PAWL_HARDEN "Build with stack protector, FORTIFY, PIE and full RELRO" ON)

# Only x86 has it.
check_cxx_compiler_flag(-fcf-protection PAWL_HAS_CF_PROTECTION)

function(pawl_harden target)
  # Sanitizers check the same and more, and do not get along with FORTIFY.
  if(NOT PAWL_HARDEN OR PAWL_SANITIZE)
    return()
  endif()
  target_compile_options(${target} PRIVATE -fstack-protector-strong -fPIE)
  if(PAWL_HAS_CF_PROTECTION)
    target_compile_options(${target} PRIVATE -fcf-protection)
  endif()
  # FORTIFY needs an optimizing build. Some compilers define it by themselves, at another level.
  set(optimizes $<CONFIG:Release,RelWithDebInfo,MinSizeRel>)
  target_compile_options(${target} PRIVATE
    $<${optimizes}:-U_FORTIFY_SOURCE> $<${optimizes}:-D_FORTIFY_SOURCE=2>)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_options(${target} PRIVATE -pie -Wl,-z,relro,-z,now)
  endif()
endfunction()
