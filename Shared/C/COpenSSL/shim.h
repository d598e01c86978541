// OpenSSL 3 as Swift sees it: function-like macros get an inline function each.
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/// `EVP_PKEY_PUBLIC_KEY`: the selection for `EVP_PKEY_fromdata`.
static inline int copenssl_public_key_selection(void) { return EVP_PKEY_PUBLIC_KEY; }

/// Adds an RSA public key's numbers. The function is in C because the builder keeps pointers to the names, and Swift's
/// C strings do not outlive the call.
static inline int copenssl_push_rsa_numbers(OSSL_PARAM_BLD *builder, const BIGNUM *n, const BIGNUM *e) {
    return OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n)
        && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e);
}
