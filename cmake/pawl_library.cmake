# pawl_library(NAME <target> SOURCES <file>... [DEPS <target>...] [PRIVATE_DEPS <target>...])
#
# Declares one module as a static library. DEPS are what its headers need, PRIVATE_DEPS what
# only its sources need. A module without sources yet is an interface library, so that others
# can link it from the first day.

function(pawl_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;DEPS;PRIVATE_DEPS")
  if(NOT arg_NAME)
    message(FATAL_ERROR "pawl_library: NAME is missing")
  endif()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "pawl_library(${arg_NAME}): unexpected ${arg_UNPARSED_ARGUMENTS}")
  endif()

  if(arg_SOURCES)
    add_library(${arg_NAME} STATIC ${arg_SOURCES})
    pawl_compile_options(${arg_NAME})
    pawl_precompiled(${arg_NAME})
    target_include_directories(${arg_NAME} PRIVATE "${PROJECT_SOURCE_DIR}/src")
    target_link_libraries(${arg_NAME} PUBLIC ${arg_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
    set(visibility PUBLIC)
  else()
    add_library(${arg_NAME} INTERFACE)
    target_link_libraries(${arg_NAME} INTERFACE ${arg_DEPS})
    set(visibility INTERFACE)
  endif()

  target_include_directories(${arg_NAME} ${visibility}
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>"
    "$<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
  )
  target_compile_features(${arg_NAME} ${visibility} cxx_std_23)

  string(REGEX REPLACE "^pawl_" "" short_name "${arg_NAME}")
  set_target_properties(${arg_NAME} PROPERTIES EXPORT_NAME ${short_name})
  add_library(pawl::${short_name} ALIAS ${arg_NAME})
endfunction()
