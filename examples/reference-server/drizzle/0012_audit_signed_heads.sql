CREATE TABLE "audit_signed_heads" (
	"chain" text PRIMARY KEY NOT NULL,
	"note" text NOT NULL
);
