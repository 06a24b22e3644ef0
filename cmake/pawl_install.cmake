# What an outside project gets: the libraries, the public headers, and a package for
#   find_package(pawl 0.2 REQUIRED)
#   target_link_libraries(app PRIVATE pawl::pawl)
#   target_link_libraries(app_test PRIVATE pawl::testing)
include(CMakePackageConfigHelpers)

set(pawl_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/pawl")

# `./dev demo` builds the program alone. Without this, CMake would name the first library that is missing.
install(CODE "
  if(NOT EXISTS \"$<TARGET_FILE:pawl_testing>\")
    message(FATAL_ERROR \"Not everything is built yet. Build it first: cmake --build ${PROJECT_BINARY_DIR}\")
  endif()
")

set(pawl_installed_targets pawl_all pawl_testing)
foreach(module IN LISTS pawl_modules)
  list(APPEND pawl_installed_targets pawl_${module})
endforeach()
install(TARGETS ${pawl_installed_targets}
  EXPORT pawlTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
)
install(EXPORT pawlTargets NAMESPACE pawl:: DESTINATION "${pawl_package_dir}")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" "${PROJECT_BINARY_DIR}/include/"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp"
)

configure_package_config_file(cmake/pawlConfig.cmake.in pawlConfig.cmake
  INSTALL_DESTINATION "${pawl_package_dir}"
)
# Before 1.0 every minor version may break what came before.
write_basic_package_version_file(pawlConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/pawlConfig.cmake" "${PROJECT_BINARY_DIR}/pawlConfigVersion.cmake"
  DESTINATION "${pawl_package_dir}"
)
