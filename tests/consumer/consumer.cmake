# The installed package works from outside: installs this build, then builds and runs a project with
# it.
if(PAWL_INSTALL)
  set(consumer_flags "${CMAKE_CXX_FLAGS}")
  if(PAWL_SANITIZE)
    string(APPEND consumer_flags " -fsanitize=${PAWL_SANITIZE}")
  endif()
  add_test(
    NAME consumer.finds_links_and_runs_the_installed_package
    COMMAND "${CMAKE_COMMAND}"
      "-DBUILD=${PROJECT_BINARY_DIR}"
      "-DPROJECT=${CMAKE_CURRENT_LIST_DIR}"
      "-DTESTS_OF_A_USER=${PROJECT_SOURCE_DIR}/examples/testing"
      "-DWORK=${CMAKE_CURRENT_BINARY_DIR}/consumer"
      "-DGENERATOR=${CMAKE_GENERATOR}"
      "-DCOMPILER=${CMAKE_CXX_COMPILER}"
      "-DFLAGS=${consumer_flags}"
      "-DVERSION=${PROJECT_VERSION}"
      -P "${CMAKE_CURRENT_LIST_DIR}/run.cmake"
  )
  set_tests_properties(consumer.finds_links_and_runs_the_installed_package PROPERTIES LABELS consumer)
  pawl_timeout(600 consumer.finds_links_and_runs_the_installed_package)
endif()
