/*
 * Times the envelope's operations of OpenSSL's libcrypto, called from C, without processes, encodings and JavaScript.
 *
 * Reads one command per line from standard input and answers with one line: nanoseconds of processor time of all
 * iterations, then the result in hexadecimal ("-" for a refusal). Inputs are decoded, and keys loaded, before the clock
 * starts.
 *
 *   key        <private key>                        the SM2 key of the commands that follow; answers "0 -"
 *   unwrap     <iterations> <ciphertext>            SM2 decryption; ciphertexts as in GM/T 0009-2012, 7.2 (DER)
 *   wrap       <iterations> <message>               SM2 encryption; answers a ciphertext
 *   seal       <iterations> <key> <iv> <aad> <plaintext>
 *   open       <iterations> <key> <iv> <aad> <ct and tag>
 *   server     <iterations> <ciphertext> <nonce> <info of the request key> <info of the response key> <iv> <aad>
 *              <ct and tag>                         the server's side: unwrap, derive both keys, open, and seal the
 *                                                   plaintext as the response; answers the sealed response
 *
 * SM4-GCM is libcrypto's own from 3.1 on. Before that it is libcrypto's GCM mode over its SM4-CTR, the best that a C
 * program can get from it. `version` answers which.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/modes.h>
#include <openssl/params.h>
#include <openssl/param_build.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POINT = 65, TAG = 16, IV = 12, KEY = 16, PRK = 32, LARGEST = 1 << 20 };

typedef struct {
  unsigned char *data;
  size_t length;
} Bytes;

static EVP_PKEY *private_key;
static EVP_CIPHER *sm4_gcm;

static void fail(const char *what) {
  fprintf(stderr, "libcrypto: %s\n", what);
  exit(1);
}

/* ---- SM2 ---- */

static void load_key(Bytes scalar) {
  EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_sm2);
  EC_POINT *point = EC_POINT_new(group);
  BIGNUM *d = BN_bin2bn(scalar.data, (int)scalar.length, NULL);
  unsigned char public_key[POINT];
  EC_POINT_mul(group, point, d, NULL, NULL, NULL);
  EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, public_key, POINT, NULL);

  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "SM2", 0);
  OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, d);
  OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, public_key, POINT);
  OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "SM2", NULL);
  EVP_PKEY_fromdata_init(context);
  if (EVP_PKEY_fromdata(context, &private_key, EVP_PKEY_KEYPAIR, params) <= 0) fail("the SM2 key was not taken");
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_free(params);
  OSSL_PARAM_BLD_free(builder);
  BN_free(d);
  EC_POINT_free(point);
  EC_GROUP_free(group);
}

/* Returns the length of the message, or -1. */
static int unwrap(Bytes ciphertext, unsigned char *message) {
  size_t length = LARGEST;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, private_key, NULL);
  int done = EVP_PKEY_decrypt_init(context) > 0 &&
             EVP_PKEY_decrypt(context, message, &length, ciphertext.data, ciphertext.length) > 0;
  EVP_PKEY_CTX_free(context);
  return done ? (int)length : -1;
}

static int wrap(Bytes message, unsigned char *ciphertext) {
  size_t length = LARGEST;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_pkey(NULL, private_key, NULL);
  int done = EVP_PKEY_encrypt_init(context) > 0 &&
             EVP_PKEY_encrypt(context, ciphertext, &length, message.data, message.length) > 0;
  EVP_PKEY_CTX_free(context);
  return done ? (int)length : -1;
}

/* ---- SM4-GCM ---- */

static void sm4_block(const unsigned char in[16], unsigned char out[16], const void *context) {
  int length;
  EVP_EncryptUpdate((EVP_CIPHER_CTX *)context, out, &length, in, 16);
}

static EVP_CIPHER_CTX *counter_mode;

static void sm4_counter(const unsigned char *in, unsigned char *out, size_t blocks, const void *key,
                        const unsigned char ivec[16]) {
  int length;
  (void)key;
  EVP_EncryptInit_ex2(counter_mode, NULL, NULL, ivec, NULL);
  EVP_EncryptUpdate(counter_mode, out, &length, in, (int)(blocks * 16));
}

/* GCM of libcrypto over its own SM4: both are in the library, only their combination came with 3.1. */
static int gcm_of_parts(int sealing, Bytes key, Bytes iv, Bytes aad, Bytes in, unsigned char *out) {
  static EVP_CIPHER_CTX *block;
  if (block == NULL) {
    block = EVP_CIPHER_CTX_new();
    counter_mode = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex2(block, EVP_sm4_ecb(), NULL, NULL, NULL);
    EVP_CIPHER_CTX_set_padding(block, 0);
    EVP_EncryptInit_ex2(counter_mode, EVP_sm4_ctr(), NULL, NULL, NULL);
  }
  EVP_EncryptInit_ex2(block, NULL, key.data, NULL, NULL);
  EVP_EncryptInit_ex2(counter_mode, NULL, key.data, NULL, NULL);
  GCM128_CONTEXT *gcm = CRYPTO_gcm128_new(block, sm4_block);
  CRYPTO_gcm128_setiv(gcm, iv.data, IV);
  CRYPTO_gcm128_aad(gcm, aad.data, aad.length);
  int done = 1;
  if (sealing) {
    CRYPTO_gcm128_encrypt_ctr32(gcm, in.data, out, in.length, sm4_counter);
    CRYPTO_gcm128_tag(gcm, out + in.length, TAG);
  } else {
    size_t length = in.length - TAG;
    CRYPTO_gcm128_decrypt_ctr32(gcm, in.data, out, length, sm4_counter);
    done = CRYPTO_gcm128_finish(gcm, in.data + length, TAG) == 0;
  }
  CRYPTO_gcm128_release(gcm);
  return done;
}

static int gcm_of_library(int sealing, Bytes key, Bytes iv, Bytes aad, Bytes in, unsigned char *out) {
  static EVP_CIPHER_CTX *context;
  if (context == NULL) context = EVP_CIPHER_CTX_new();
  int length, last, done = 1;
  size_t text = sealing ? in.length : in.length - TAG;
  EVP_CipherInit_ex2(context, sm4_gcm, key.data, iv.data, sealing, NULL);
  EVP_CipherUpdate(context, NULL, &length, aad.data, (int)aad.length);
  EVP_CipherUpdate(context, out, &length, in.data, (int)text);
  if (!sealing) EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, TAG, in.data + text);
  done = EVP_CipherFinal_ex(context, out + length, &last) > 0;
  if (sealing) EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, TAG, out + text);
  return done;
}

/* Returns the length of the result, or -1. */
static int gcm(int sealing, Bytes key, Bytes iv, Bytes aad, Bytes in, unsigned char *out) {
  if (!sealing && in.length < TAG) return -1;
  int done = (sm4_gcm ? gcm_of_library : gcm_of_parts)(sealing, key, iv, aad, in, out);
  return done ? (int)(sealing ? in.length + TAG : in.length - TAG) : -1;
}

/* ---- HKDF-SM3 ---- */

/* One context for each step: the digest is looked up by name once, and not for every request. */
static EVP_KDF_CTX *hkdf(int mode) {
  EVP_KDF_CTX *context = EVP_KDF_CTX_new(EVP_KDF_fetch(NULL, "HKDF", NULL));
  OSSL_PARAM params[] = {
    OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, "SM3", 0),
    OSSL_PARAM_construct_int(OSSL_KDF_PARAM_MODE, &mode),
    OSSL_PARAM_construct_end(),
  };
  if (EVP_KDF_CTX_set_params(context, params) <= 0) fail("no HKDF with SM3");
  return context;
}

static void derive(EVP_KDF_CTX *context, Bytes secret, const char *name, Bytes value, unsigned char *out,
                   size_t length) {
  OSSL_PARAM params[] = {
    OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, secret.data, secret.length),
    OSSL_PARAM_construct_octet_string(name, value.data, value.length),
    OSSL_PARAM_construct_end(),
  };
  if (EVP_KDF_derive(context, out, length, params) <= 0) fail("HKDF-SM3 was not derived");
}

/* ---- the server's side of one request ---- */

static int server(Bytes *given, unsigned char *out) {
  static unsigned char plaintext[LARGEST];
  static unsigned char base[LARGEST];
  static EVP_KDF_CTX *extract, *expand;
  unsigned char prk[PRK], request_key[KEY], response_key[KEY];
  if (extract == NULL) {
    extract = hkdf(EVP_KDF_HKDF_MODE_EXTRACT_ONLY);
    expand = hkdf(EVP_KDF_HKDF_MODE_EXPAND_ONLY);
  }
  if (unwrap(given[0], base) != KEY) return -1;
  Bytes base_key = {base, KEY};
  derive(extract, base_key, OSSL_KDF_PARAM_SALT, given[1], prk, PRK);
  derive(expand, (Bytes){prk, PRK}, OSSL_KDF_PARAM_INFO, given[2], request_key, KEY);
  derive(expand, (Bytes){prk, PRK}, OSSL_KDF_PARAM_INFO, given[3], response_key, KEY);
  int length = gcm(0, (Bytes){request_key, KEY}, given[4], given[5], given[6], plaintext);
  if (length < 0) return -1;
  return gcm(1, (Bytes){response_key, KEY}, given[4], given[5], (Bytes){plaintext, (size_t)length}, out);
}

/* ---- the commands ---- */

static Bytes read_hex(const char *text) {
  size_t length = strlen(text) / 2;
  Bytes bytes = {malloc(length + 1), length};
  for (size_t i = 0; i < length; i++) {
    unsigned int byte;
    if (sscanf(text + 2 * i, "%2x", &byte) != 1) fail("not hexadecimal");
    bytes.data[i] = (unsigned char)byte;
  }
  return bytes;
}

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void answer(long long nanoseconds, Bytes result) {
  printf("%lld ", nanoseconds);
  for (size_t i = 0; i < result.length; i++) printf("%02x", result.data[i]);
  if (result.length == 0) printf("-");
  printf("\n");
  fflush(stdout);
}

int main(void) {
  static unsigned char out[LARGEST];
  char *line = NULL;
  size_t room = 0;
  sm4_gcm = EVP_CIPHER_fetch(NULL, "SM4-GCM", NULL);

  while (getline(&line, &room, stdin) > 0) {
    char *verb = strtok(line, " \n");
    if (verb == NULL) continue;
    if (strcmp(verb, "version") == 0) {
      printf("0 %s, SM4-GCM %s\n", OpenSSL_version(OPENSSL_VERSION), sm4_gcm ? "of its own" : "of its GCM and SM4-CTR");
      fflush(stdout);
      continue;
    }
    if (strcmp(verb, "key") == 0) {
      load_key(read_hex(strtok(NULL, " \n")));
      answer(0, (Bytes){out, 0});
      continue;
    }
    long iterations = atol(strtok(NULL, " \n"));
    Bytes given[7];
    int count = 0, length = -1;
    for (char *word; count < 7 && (word = strtok(NULL, " \n")) != NULL;) {
      given[count++] = read_hex(strcmp(word, "-") ? word : "");
    }

    long long start = now();
    for (long i = 0; i < iterations; i++) {
      if (strcmp(verb, "unwrap") == 0) length = unwrap(given[0], out);
      else if (strcmp(verb, "server") == 0) length = server(given, out);
      else if (strcmp(verb, "wrap") == 0) length = wrap(given[0], out);
      else if (strcmp(verb, "seal") == 0) length = gcm(1, given[0], given[1], given[2], given[3], out);
      else if (strcmp(verb, "open") == 0) length = gcm(0, given[0], given[1], given[2], given[3], out);
      else fail("an unknown command");
    }
    long long taken = now() - start;
    answer(taken, (Bytes){out, length < 0 ? 0 : (size_t)length});
    while (count > 0) free(given[--count].data);
  }
  return 0;
}
