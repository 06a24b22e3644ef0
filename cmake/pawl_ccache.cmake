# Compiles through ccache where it is installed and the caller has not chosen a launcher.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  return()
endif()
find_program(PAWL_CCACHE ccache)
mark_as_advanced(PAWL_CCACHE)
if(PAWL_CCACHE)
  # The sloppiness is what ccache asks for to cache the use of a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER
    "${CMAKE_COMMAND}" -E env
    "CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime"
    "${PAWL_CCACHE}")
endif()
