# pawl_compile_options(TARGET): language level, warnings, hardening and sanitizers of our own code.
#
# Everything is private to the target: who links pawl keeps their own warnings.

include(pawl_harden)

function(pawl_compile_options target)
  set_target_properties(${target} PROPERTIES
    CXX_STANDARD 23
    CXX_STANDARD_REQUIRED ON
    CXX_EXTENSIONS OFF
  )
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wconversion -Wshadow -Wnon-virtual-dtor -Werror=switch
    # Designated initializers leave out what has a good default; that is their point.
    -Wno-missing-field-initializers
  )
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 sees overlaps in std::string concatenation that are not there (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  else()
    # As in GCC, where -Wconversion leaves signedness alone in C++.
    target_compile_options(${target} PRIVATE -Wno-sign-conversion)
    # libstdc++ 12's own stable_sort uses what it calls deprecated, and Clang tells our code of it.
    target_compile_options(${target} PRIVATE -Wno-deprecated-declarations)
    # Who may touch what is guarded by a mutex (src/runtime/mutex.hpp).
    target_compile_options(${target} PRIVATE -Werror=thread-safety)
  endif()
  if(PAWL_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()

  pawl_harden(${target})
  if(PAWL_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${PAWL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    if(PAWL_SANITIZE MATCHES "undefined")
      # The address sanitizer finds what these would find, and they double the time of a build.
      target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment,object-size,vptr)
    endif()
    # Public: whatever links an instrumented library needs the sanitizer's runtime.
    target_link_options(${target} PUBLIC $<BUILD_INTERFACE:-fsanitize=${PAWL_SANITIZE}>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Instrumentation hides initializations from this warning.
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
      if(PAWL_SANITIZE MATCHES "thread")
        target_compile_options(${target} PRIVATE -Wno-tsan)
      endif()
    endif()
  endif()
endfunction()
