-- Each set of permissions becomes a role, and whoever had the set gets the role: nobody gains or loses anything.
INSERT INTO "roles" ("id", "name", "permissions")
SELECT gen_random_uuid(), CASE WHEN "permissions" = '{*}' THEN 'Full access' ELSE 'Migrated permissions ' || row_number() OVER (ORDER BY "permissions") END, "permissions"
FROM (SELECT DISTINCT "permissions" FROM "administrators" WHERE cardinality("permissions") > 0) AS "sets";
--> statement-breakpoint
INSERT INTO "administrator_roles" ("administrator_id", "role_id")
SELECT "administrators"."id", "roles"."id" FROM "administrators" JOIN "roles" ON "roles"."permissions" = "administrators"."permissions";
--> statement-breakpoint
ALTER TABLE "administrators" DROP COLUMN "permissions";