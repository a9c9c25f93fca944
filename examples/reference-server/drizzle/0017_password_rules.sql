ALTER TABLE "administrators" ADD COLUMN "password_changed_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "administrators" ADD COLUMN "password_is_initial" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "administrators" ADD COLUMN "password_history" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "app_users" ADD COLUMN "password_changed_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "app_users" ADD COLUMN "password_history" text[] DEFAULT '{}' NOT NULL;