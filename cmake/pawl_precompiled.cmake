# pawl_precompiled(TARGET): compiles the target with one precompiled header of the standard library.
#
# Only in builds with tests, where it saves a third of the time. Release builds go without, so a
# missing #include cannot hide for long.

if(PAWL_BUILD_TESTS)
  file(WRITE "${PROJECT_BINARY_DIR}/precompiled.cpp" "")
  add_library(pawl_precompiled OBJECT "${PROJECT_BINARY_DIR}/precompiled.cpp")
  pawl_compile_options(pawl_precompiled)
  target_precompile_headers(pawl_precompiled PRIVATE
    <algorithm> <array> <chrono> <expected> <filesystem> <fstream> <functional> <map> <memory>
    <optional> <set> <span> <sstream> <string> <string_view> <utility> <variant> <vector>
  )
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Lets ccache distinguish precompiled headers.
    target_compile_options(pawl_precompiled PRIVATE -fpch-preprocess)
  endif()
endif()

function(pawl_precompiled target)
  if(NOT PAWL_BUILD_TESTS)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Inlined from a precompiled header, the std::string of GCC 12 seems to write past its end.
    target_compile_options(${target} PRIVATE -fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)
  endif()
  target_precompile_headers(${target} REUSE_FROM pawl_precompiled)
endfunction()
