CREATE TABLE "name_skeletons" (
	"administrator_id" uuid PRIMARY KEY NOT NULL,
	"skeleton" text NOT NULL,
	"is_confirmed" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
ALTER TABLE "name_skeletons" ADD CONSTRAINT "name_skeletons_administrator_id_administrators_id_fk" FOREIGN KEY ("administrator_id") REFERENCES "public"."administrators"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "name_skeletons_unconfirmed" ON "name_skeletons" USING btree ("skeleton") WHERE not "name_skeletons"."is_confirmed";--> statement-breakpoint
CREATE INDEX "name_skeletons_skeleton_index" ON "name_skeletons" USING btree ("skeleton");