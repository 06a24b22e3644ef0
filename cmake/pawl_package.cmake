# `./dev package`: a Debian package with the program, its systemd unit and its settings. It has a
# component of its own, so that the libraries and headers stay out of it.
set(pawl_packaging "${PROJECT_SOURCE_DIR}/packaging")
install(TARGETS pawl_cli RUNTIME DESTINATION /usr/bin COMPONENT program EXCLUDE_FROM_ALL)
install(FILES "${pawl_packaging}/pawl.service"
  DESTINATION /lib/systemd/system COMPONENT program EXCLUDE_FROM_ALL)
install(FILES "${pawl_packaging}/serve.yaml"
  DESTINATION /etc/pawl COMPONENT program EXCLUDE_FROM_ALL)
install(FILES "${pawl_packaging}/debian/copyright" "${PROJECT_SOURCE_DIR}/README.md" "${PROJECT_SOURCE_DIR}/CHANGELOG.md"
  "${PROJECT_SOURCE_DIR}/docs/guide/operating.md" "${PROJECT_SOURCE_DIR}/docs/reference/serve.md"
  DESTINATION /usr/share/doc/pawl COMPONENT program EXCLUDE_FROM_ALL)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pawl)
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_PACKAGE_CONTACT "the authors of pawl <pawl@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "durable, resumable workflow engine with people in the loop")
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION
  "Items flow through a graph of stages; gates judge each output, policies\ndecide about retries, and people approve. Every step is durable: it continues\nwhere it was after a crash.")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}")
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
# Whatever the umask of those who build it.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME pawl)
set(CPACK_DEBIAN_PROGRAM_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
# Reads what the program needs from the program itself.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "adduser, procps")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA
  "${pawl_packaging}/debian/postinst;${pawl_packaging}/debian/prerm;${pawl_packaging}/debian/postrm;${pawl_packaging}/debian/conffiles")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
