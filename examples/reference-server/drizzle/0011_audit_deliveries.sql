CREATE TABLE "audit_deliveries" (
	"chain" text NOT NULL,
	"destination" text NOT NULL,
	"sequence" bigint NOT NULL,
	"mac" text,
	"owner" uuid,
	"lease_until" timestamp with time zone,
	"delivered_at" timestamp with time zone,
	CONSTRAINT "audit_deliveries_pk" PRIMARY KEY("chain","destination")
);
