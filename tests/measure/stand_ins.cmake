# Stand-ins for libraries of NVIDIA's (stub_cuda.h) and for BLAS libraries, so that what needs them is tested without.
include_guard(GLOBAL)

# For libcuda, NVRTC and NVML.
add_library(stub_cuda_driver SHARED ${CMAKE_CURRENT_LIST_DIR}/stub_cuda_driver.cpp
                                    ${CMAKE_CURRENT_LIST_DIR}/stub_nvrtc.cpp ${CMAKE_CURRENT_LIST_DIR}/stub_nvml.cpp
                                    ${CMAKE_CURRENT_LIST_DIR}/stub_task.cpp)
target_include_directories(stub_cuda_driver PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(stub_cuda_driver PRIVATE kernelscape_task kernelscape_loop_nest ${CMAKE_DL_LIBS})
# For cuBLAS and cuDNN.
add_library(stub_cuda_libraries SHARED ${CMAKE_CURRENT_LIST_DIR}/stub_cuda_libraries.cpp)
target_link_libraries(stub_cuda_libraries PRIVATE ${CMAKE_DL_LIBS})
# For OpenBLAS, BLIS and libxsmm.
add_library(stub_blas SHARED ${CMAKE_CURRENT_LIST_DIR}/stub_blas.cpp)
# They are called through declarations of ours, as the real ones are, whose types no sanitizer knows either.
foreach(stub stub_cuda_driver stub_cuda_libraries stub_blas)
  target_compile_options(${stub} PRIVATE $<$<CXX_COMPILER_ID:Clang>:-fno-sanitize=function>)
  set_target_properties(${stub} PROPERTIES UNITY_BUILD OFF)
endforeach()
