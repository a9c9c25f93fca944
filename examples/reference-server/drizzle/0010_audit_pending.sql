CREATE TABLE "audit_pending" (
	"id" uuid PRIMARY KEY NOT NULL,
	"record" text NOT NULL,
	"mac" text NOT NULL,
	"key_id" text NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL
);
