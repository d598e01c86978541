// libnghttp2 as Swift sees it.
#include <nghttp2/nghttp2.h>
