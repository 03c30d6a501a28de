# What CPack makes of an installation: a Debian package for the release of Debian at hand, and a tarball. app/package calls it.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                                WORLD_READ WORLD_EXECUTE)
set(CPACK_PACKAGE_NAME kernelscape)
set(CPACK_PACKAGE_VENDOR Kernelscape)
set(CPACK_PACKAGE_CONTACT "The developers of Kernelscape <kernelscape@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find the fastest kernel of a tensor operator")
set(CPACK_PACKAGE_DESCRIPTION
    "Kernelscape generates C, CUDA C++ or OpenCL C for a tensor operator, compiles it, runs it on the processor or a GPU,
checks the result against a reference, times it, and learns from what it measured where to look next. It has a window
and a command line, and the worker that a machine of a fleet runs.")

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The libraries that the programs are linked with.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What they start or look for while they run: a C compiler with the C library's headers, a typeface for charts in reports,
# which are drawn without a desktop as well, and what draws icons, a package of its own since Debian 13.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "gcc | clang, libc6-dev | libc-dev, fonts-dejavu-core | fonts-liberation2, qt6-svg-plugins | libqt6svg6 (<< 6.5)")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-wayland")
# The Python package is in the same package: its protocol is that of the program.
set(CPACK_DEBIAN_PACKAGE_PROVIDES "python3-kernelscape (= ${PROJECT_VERSION})")
# The cycles of a hot loop, OpenCL on the processor, libraries to compare with, a fleet: its queue, and what encrypts the
# way there, and scripts in Python.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "llvm, pocl-opencl-icd, libopenblas0-pthread, libblis4-pthread, redis-server, stunnel4, openssh-client, python3 (>= 3.11), python3-numpy")
include(CPack)
