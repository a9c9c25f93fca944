CREATE TABLE "second_factors" (
	"audience" text NOT NULL,
	"subject" uuid NOT NULL,
	"version" text,
	"record" text,
	"is_enrolled" boolean DEFAULT false NOT NULL,
	"reset_at" timestamp with time zone,
	"enrolment_code_hash" text,
	"enrolment_code_expires_at" timestamp with time zone,
	CONSTRAINT "second_factors_audience_subject_pk" PRIMARY KEY("audience","subject")
);
