// libcurl as Swift sees it: curl_easy_setopt and friends are variadic, so each shape that is used has an inline function.
#define CURL_STRICTER 1
#include <curl/curl.h>
