// Generated from the OpenAPI document of the reference server by `pnpm run openapi`.
export interface paths {
    "/admin/auth/captcha": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a captcha if one is required
         * @description An answer is valid for 120 s, for one attempt, right or wrong, and for the purpose in `for`. `kinds` are those that suffice; `kind` asks for one of them. The text of `image` is answered in `code`. A proof for `challenge` is answered in `proof`; `solve` of `@sallyport/captcha/client` makes it.
         *
         *     For everybody.
         *
         *     At most 60 requests in 60 s.
         */
        get: operations["readCaptcha"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in as an administrator
         * @description The password is what the reference clients send: the lower-case hex SM3 of what was typed. `key` with `code` or `proof` answers a captcha, where one is needed. `deviceToken` is that of an earlier sign-in from this device, which the answer replaces: with it, guesses of strangers do not lock the owner out. Unknown names and wrong passwords get one answer.
         *
         *     For everybody.
         *
         *     At most 20 requests in 60 s.
         */
        post: operations["signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/auth/register": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register an administrator’s account
         * @description Closed unless `admin.auth.registration.enabled` opens it. The new account has no role and no permissions until an administrator assigns one.
         *
         *     For everybody.
         *
         *     At most 5 requests in 60 s.
         */
        post: operations["registerAccount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factor/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the challenge for a passkey
         * @description The options for `navigator.credentials.get`. The challenge is for the sign-in whose pending token is sent, or for a step-up of the session.
         *
         *     For administrators and app users.
         */
        post: operations["askForPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Prove a second factor
         * @description With the pending token of a sign-in: the answer has the result of the sign-in, with a new token. With the token of a full session: a step-up, after which sensitive operations are allowed until `provenUntil`. `kind` is `totp` or `recovery-code` with `code`, `passkey` with `credential`, or, for a step-up of an account without a factor, `password`. Wrong, used and expired proofs get one answer. After ten wrong codes in a day, only a passkey or a recovery code is accepted. Five failed step-ups in a row end the session.
         *
         *     For administrators and app users.
         */
        post: operations["proveSecondFactor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/auth/clearLoginLimit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Clear the failed attempts of a name, of an address, or of both
         * @description With `username`, which is a mobile number at a terminal of app users: the counters of the name at the terminal, of every address for it, and its device tokens. With `clientIp`, which needs the permission `api:admin:auth:clearAddressLimit` as well: the counter of the address over all names, IPv6 by its /64. `stillLocked` lists the addresses that go on refusing the name, and until when.
         *
         *     For administrators, with `api:admin:auth:clearLoginLimit`.
         */
        post: operations["clearLoginLimit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/login-policy/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain which counter refuses a name, and until when
         * @description The answer is the same for unknown names of administrators. At a terminal of app users, `username` is a mobile number, and the answer, which shows whether an account has it, needs the permission `api:admin:app-users:list` as well. `devices` counts the devices from which the owner has signed in before, and those of them that count as unknown for now. For an app user it has `codes`: what limits codes and text messages.
         *
         *     For administrators, with `api:admin:login-policy:explain`.
         */
        get: operations["explainLoginLimit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/login-policy/locks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who is locked now
         * @description The locks in force of accounts that exist, and of addresses, whose `username` is null. A name that no account has is not listed, because people type passwords into that field. Numbers of app users are masked. Locks of codes of second factors are not among them: a reset of the factors ends them. `clientIp` is the address from which the lock was caused. A page may have fewer locks than its size, or none, although others follow.
         *
         *     For administrators, with `api:admin:login-policy:explain`.
         */
        get: operations["listLocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign out
         * @description The session ends at once, on every node. The body is empty, or an empty object.
         *
         *     For administrators and app users.
         */
        post: operations["signOut"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions
         * @description With `scope=subject`, the default, those of the caller, or of `audience` and `subject`. The caller’s own sessions need no permission; all others need `api:admin:sessions:list`. With `scope=all`, those of all users, the newest first and by cursor: of one `audience`, of a `user`, from an `address`. A `user` that is a mobile number needs `api:admin:app-users:list` as well, unless `audience` is `admin`. A page may be short, or empty, though others follow. A session with a `purpose` waits for a step of its sign-in, and is refused elsewhere.
         *
         *     For administrators.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one’s own sessions
         * @description The most recently seen one first, at most twenty, and those that wait for a step of their sign-in.
         *
         *     For app users.
         */
        get: operations["listOwnSessions"];
        put?: never;
        post?: never;
        /**
         * End all of one’s own sessions
         * @description For app users.
         */
        delete: operations["signOutEverywhere"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End one of one’s own sessions
         * @description For app users.
         */
        delete: operations["endOwnSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description The caller’s own sessions need no permission; other sessions need `api:admin:sessions:end`. The session of an administrator can be ended by somebody who holds every grant of that account, and the session of an app user with `api:admin:app-users:update` as well.
         *
         *     For administrators.
         */
        delete: operations["endOneSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/administrators/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End all sessions of an administrator
         * @description The caller holds every grant of that account.
         *
         *     For administrators, with `api:admin:sessions:end`.
         */
        delete: operations["endSessionsOfAdministrator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/tickets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a single-use ticket
         * @description For a link that can’t send a header. It is bound to one purpose and one resource, is valid for at most 60 s, and ends with its session. The purpose `storage:download` takes the id of a file. An administrator needs `api:admin:storage:download` for it, an app user gets it for his own files.
         *
         *     For administrators and app users.
         */
        post: operations["issueTicket"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one’s own account
         * @description `permissions` are the codes that it holds now, `grants` those of its roles, also families.
         *
         *     For administrators.
         */
        get: operations["readProfile"];
        /**
         * Change one’s own display name
         * @description For administrators.
         */
        put: operations["changeProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/profile/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change one’s own password
         * @description Ends every session of the account, including this one. A wrong old password counts as a failed sign-in, over all sessions. The new one must not be the old one, also without a history. `deviceToken` is that of the sign-in: with it, guesses of strangers do not keep the owner from the change.
         *
         *     For administrators.
         *
         *     At most 10 requests in 900 s.
         */
        put: operations["changePassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one’s own second factors
         * @description With the mode of the own audience: while it is OFF, no factor is changed.
         *
         *     For administrators and app users.
         */
        get: operations["listOwnFactors"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factors/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to enrol an authenticator app
         * @description Show `uri` as a QR code, and `secret` for typing. The factor counts once it is confirmed, and replaces an earlier one. In the session of a sign-in that demands an enrolment, `enrolmentCode` is needed when the days of grace are over.
         *
         *     For administrators and app users.
         */
        post: operations["beginTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factors/totp/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm an authenticator app by its first code
         * @description The code is used up. The first factor ends all other sessions of the account. In the session of a sign-in that demands an enrolment, `enrolmentCode` is needed when the days of grace are over. Such a session ends, and `signIn` is the result of the sign-in.
         *
         *     For administrators and app users.
         */
        post: operations["confirmTotp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factors/passkeys/options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin to enrol a passkey
         * @description The answer is for `PublicKeyCredential.parseCreationOptionsFromJSON`. In the session of a sign-in that demands an enrolment, `enrolmentCode` is needed when the days of grace are over.
         *
         *     For administrators and app users.
         */
        post: operations["beginPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factors/passkeys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enrol a passkey
         * @description `credential` is the `toJSON()` of what `navigator.credentials.create` returned. In the session of a sign-in that demands an enrolment, `enrolmentCode` is needed when the days of grace are over. Such a session ends, and `signIn` is the result of the sign-in.
         *
         *     For administrators and app users.
         */
        post: operations["enrolPasskey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factors/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make ten recovery codes
         * @description They replace the earlier ones, and are shown once. Each replaces a factor once.
         *
         *     For administrators and app users.
         */
        post: operations["createRecoveryCodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/auth/second-factors/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove one of one’s own second factors
         * @description Recovery codes go with the last other factor, which stays while a factor is required.
         *
         *     For administrators and app users.
         */
        delete: operations["removeFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/administrators/{id}/second-factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Reset the second factors of an administrator
         * @description Removes all factors and ends all sessions of the account. Its days of grace begin again.
         *
         *     For administrators, with `api:admin:second-factors:reset-administrators`.
         */
        delete: operations["resetSecondFactorsOfAdministrator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/administrators/{id}/second-factors/enrolment-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue an enrolment code for an administrator
         * @description With it the account can enrol its first factor after the days of grace: once, within 24 hours. An earlier code ends. It is shown once.
         *
         *     For administrators, with `api:admin:second-factors:reset-administrators`.
         */
        post: operations["issueEnrolmentCodeOfAdministrator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/app-users/{id}/second-factors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Reset the second factors of an app user
         * @description Removes all factors and ends all sessions of the account. Its days of grace begin again.
         *
         *     For administrators, with `api:admin:second-factors:reset-app-users` and `api:admin:app-users:update`.
         */
        delete: operations["resetSecondFactorsOfAppUser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/app-users/{id}/second-factors/enrolment-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue an enrolment code for an app user
         * @description With it the account can enrol its first factor after the days of grace: once, within 24 hours. An earlier code ends. It is shown once.
         *
         *     For administrators, with `api:admin:second-factors:reset-app-users` and `api:admin:app-users:update`.
         */
        post: operations["issueEnrolmentCodeOfAppUser"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/administrators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List administrators
         * @description For administrators, with `api:admin:administrators:list`.
         */
        get: operations["listAdministrators"];
        put?: never;
        /**
         * Create an administrator
         * @description Callers can grant only permissions that they hold. A name that looks like that of another account needs `confirm: true`, which the audit log records.
         *
         *     For administrators, with `api:admin:administrators:create`.
         */
        post: operations["createAdministrator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/administrators/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an administrator
         * @description For administrators, with `api:admin:administrators:read`.
         */
        get: operations["readAdministrator"];
        /**
         * Change an administrator
         * @description With `version`, the change is refused if the account has changed since that version. Disabling ends all sessions.
         *
         *     For administrators, with `api:admin:administrators:update`.
         */
        put: operations["updateAdministrator"];
        post?: never;
        /**
         * Delete an administrator
         * @description For administrators, with `api:admin:administrators:delete`.
         */
        delete: operations["deleteAdministrator"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/administrators/{id}/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Reset the password of an administrator
         * @description Ends all of that account’s sessions. While passwords age, the present one is refused.
         *
         *     For administrators, with `api:admin:administrators:reset-password`.
         */
        put: operations["resetPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List roles
         * @description For administrators, with `api:admin:roles:list`.
         */
        get: operations["listRoles"];
        put?: never;
        /**
         * Create a role
         * @description A grant is a permission of this service, or a prefix of permissions that ends in `*`.
         *
         *     For administrators, with `api:admin:roles:create`.
         */
        post: operations["createRole"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/roles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a role
         * @description For administrators, with `api:admin:roles:read`.
         */
        get: operations["readRole"];
        /**
         * Change a role
         * @description It takes effect on the next request of each holder.
         *
         *     For administrators, with `api:admin:roles:update`.
         */
        put: operations["updateRole"];
        post?: never;
        /**
         * Delete a role
         * @description For administrators, with `api:admin:roles:delete`.
         */
        delete: operations["deleteRole"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the permissions of this service
         * @description The catalogue for forms: every permission, by group, with its texts in each language. It needs no permission.
         *
         *     For administrators.
         */
        get: operations["listPermissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app/auth/captcha": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a captcha if this client needs one
         * @description As `GET /admin/auth/captcha`. `enabled` says whether the network of the client needs one: for a text message, for a code, or for a recovery, which always needs one. Told a number as `mobile`, it says whether the next request for this number needs one. With `for` a captcha is issued in any case, for a request that was answered `CAPTCHA_REQUIRED`.
         *
         *     For everybody.
         *
         *     At most 300 requests in 60 s.
         */
        get: operations["readAppCaptcha"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app/auth/sendSmsCode": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask for a code by text message
         * @description The answer is the same for every well-formed number, whether or not a message is sent. `handle` belongs to this send: sign in with it, so that nobody else’s wrong codes count against yours. `for` binds the code to a purpose, which its message names; without it the code serves every purpose. `key` with `code` or `proof` answers a captcha.
         *
         *     For everybody.
         *
         *     At most 300 requests in 60 s.
         */
        post: operations["sendSmsCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in as an app user
         * @description By password, by code, or by both; with both, both must be right. A right code alone creates the user if the number has none. `handle` is what the request for the code answered. After many wrong codes a code needs a captcha (`key`, `code`, `proof`), and after more a new code, which is longer. `deviceToken` is that of an earlier sign-in from this device, which the answer replaces; users without a password get none.
         *
         *     For everybody.
         *
         *     At most 300 requests in 60 s.
         */
        post: operations["signInToApp"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app/auth/recoverPassword": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Set a new password with a code
         * @description Needs a captcha for `recover`. The code was asked for with `for: "recover"`, or without `for`. Ends all sessions. The answer is the same for a number without a user, which gets none.
         *
         *     For everybody.
         *
         *     At most 60 requests in 60 s.
         */
        post: operations["recoverAppPassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read one’s own account
         * @description For app users.
         */
        get: operations["readAppProfile"];
        /**
         * Change one’s own display name
         * @description For app users.
         */
        put: operations["changeAppProfile"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app/profile/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set or change one’s own password
         * @description Needs the old password, or a code that was asked for with `for: "recover"` or without `for`. Ends all sessions. A wrong old password counts as a failed sign-in, over all sessions. The new one must not be the old one that is given nor, while passwords age, the present one. `deviceToken` is that of the sign-in: with it, guesses of strangers do not keep the owner from the change.
         *
         *     For app users.
         *
         *     At most 10 requests in 900 s.
         */
        put: operations["changeAppPassword"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/app-users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List app users
         * @description Numbers are masked. `mobile` finds the user with a whole number.
         *
         *     For administrators, with `api:admin:app-users:list`.
         */
        get: operations["listAppUsers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/app-users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an app user
         * @description For administrators, with `api:admin:app-users:read`.
         */
        get: operations["readAppUser"];
        /**
         * Disable or enable an app user
         * @description Disabling ends all sessions and device tokens; later sign-ins get the answer for wrong credentials.
         *
         *     For administrators, with `api:admin:app-users:update`.
         */
        put: operations["updateAppUser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/app-users/{id}/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End all sessions of an app user
         * @description For administrators, with `api:admin:sessions:end` and `api:admin:app-users:update`.
         */
        delete: operations["endAppSessions"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments
         * @description For administrators, with `api:admin:payments:list`.
         */
        get: operations["listPayments"];
        put?: never;
        /**
         * Make a payment, exactly once
         * @description A retry with the same `Idempotency-Key` and content never pays twice, even after a crash of the server. 409 `IDEMPOTENCY_SUBMITTED` means that the payment was made.
         *
         *     For administrators, with `api:admin:payments:create`.
         */
        post: operations["createPayment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment
         * @description For administrators, with `api:admin:payments:read`.
         */
        get: operations["readPayment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/idempotency/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the state of one’s own writes under a key
         * @description 404: no write has this key. Uploads are included from the time at which they were received. Parameter changes are not.
         *
         *     For administrators and app users.
         */
        get: operations["readIdempotencyKey"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/system-parameters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List system parameters
         * @description For administrators, with `api:admin:system-parameters:read`.
         */
        get: operations["listParameters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/system-parameters/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a system parameter
         * @description For administrators, with `api:admin:system-parameters:read`.
         */
        get: operations["readParameter"];
        /**
         * Change a system parameter
         * @description `version` is the version that was read. The change takes effect on every node within 2 s. A change that would lock out its caller needs `confirm: true`.
         *
         *     For administrators, with `api:admin:system-parameters:write`.
         */
        put: operations["changeParameter"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/system-parameters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the public system parameters
         * @description For example the password rules, which clients check before they hash.
         *
         *     For everybody.
         */
        get: operations["readPublicParameters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/storage/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List files
         * @description `policy` is the upload policy in force; null without the permission to read parameters.
         *
         *     For administrators, with `api:admin:storage:list`.
         */
        get: operations["listFiles"];
        put?: never;
        /**
         * Upload a file
         * @description The file is listed only after it passed every check. An `Idempotency-Key` covers content, name and flag.
         *
         *     For administrators, with `api:admin:storage:upload`.
         *
         *     Unencrypted in every encryption mode.
         */
        post: operations["uploadFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/storage/files/{id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file
         * @description For administrators, with `api:admin:storage:read`.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["readContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/storage/files/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a file
         * @description For administrators, with `api:admin:storage:delete`.
         */
        delete: operations["deleteFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/app/storage/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List one’s own files
         * @description For app users.
         */
        get: operations["listOwnFiles"];
        put?: never;
        /**
         * Upload a file of one’s own
         * @description Under the same rules as the uploads of administrators.
         *
         *     For app users.
         *
         *     Unencrypted in every encryption mode.
         */
        post: operations["uploadOwnFile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/storage/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the public preview of a file
         * @description A file that may not be previewed gets the answer for an unknown one.
         *
         *     For everybody.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["previewFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public/storage/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a file that is public, or by a ticket
         * @description A file that may be previewed publicly needs no ticket. Any other needs one from `POST /auth/tickets` for the purpose `storage:download` and this file. Without it, the answer for a private file and for an unknown one is the same.
         *
         *     For everybody.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["downloadFile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/storage/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check a file against every upload rule
         * @description For use before a parameter is changed; nothing is stored. The body is the file itself; its `Content-Type` is the one a client would declare in the form.
         *
         *     For administrators, with `api:admin:storage:simulate`.
         *
         *     Unencrypted in every encryption mode.
         */
        post: operations["simulateUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit-records/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the actions of the audit log
         * @description Every action that the server and its commands record, in words. Reading the list is not recorded.
         *
         *     For administrators, with `api:admin:audit-records:list`.
         */
        get: operations["listAuditActions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit-records": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search the audit log
         * @description `from` and `to` are milliseconds since the Unix epoch, or dates and times with a zone. Pages by `after` do not shift while records are added. `page.total` is exact up to 10 000; beyond, it is 10 000, and `page.totalIsExact` is false. `actors` names the accounts that are actors or targets on the page, app users by their masked numbers; null without the permission to list administrators. `target` finds an account by its id and by its name, for those who may list such accounts.
         *
         *     For administrators, with `api:admin:audit-records:list`.
         */
        get: operations["searchAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit-records/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export audit records
         * @description The export is streamed, and recorded in the audit log. For Excel use `bom=true`, and `separator=semicolon` where the comma is the decimal separator. Both are for `format=csv` only.
         *
         *     For administrators, with `api:admin:audit-records:export`.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["exportAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit-records/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify the audit log
         * @description Reads the whole log in the background and compares it with its chain and the checkpoints of `SERVICE_AUDIT_CHECKPOINT_FILE`. One verification runs at a time, on all nodes together: while one runs, the answer is that one. With `checkpoint`, the whole note of a signed checkpoint, the log is compared with it as well: give `publicKey` where you keep your own copy, which proves this note only, or the keys of the server prove it. `given` names it in the result, and `ownKey` says whether a key of the server signed it. A log that is not intact is a security event, unless only the note of another key says so. A verification with such a note is interrupted by one without. One that was running already has not seen the note. `Location` names where its progress and its findings are shown.
         *
         *     For administrators, with `api:admin:audit-records:verify`.
         */
        post: operations["startVerification"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit-records/verifications/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read progress and findings of a verification
         * @description The last 20 results are kept for 7 days, with their first 100 findings. `interrupted` means that its node stopped: start another one. Rows after `coveredTo` can be cut off unnoticed. What the chain proves, and what it does not, is in the reference of the audit log.
         *
         *     For administrators, with `api:admin:audit-records:verify`.
         */
        get: operations["readVerification"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notifications
         * @description Of the last day: `queued`, `sending`, `retrying`, `sent`, `superseded`, `expired`, `unconfirmed`, `refused` or `failed`.
         *
         *     For administrators, with `api:admin:notifications:list`.
         */
        get: operations["listNotifications"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dev/sms-outbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the development outbox
         * @description In development only.
         *
         *     For everybody.
         */
        get: operations["readOutbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/dev/sms-outbox/page": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the development outbox as a page
         * @description In development only.
         *
         *     For everybody.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["showOutbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/encryption/public-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the public key and the parameters of the protocol
         * @description A client reads it before it seals its first request, and again after 400 `ENVELOPE_KEY_UNKNOWN`.
         *
         *     For everybody.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["describeEncryption"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/encryption/time": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the time, sealed
         * @description For a client whose clock is more than ten minutes behind. Its envelope may be of any stamp, and carries neither query nor body. No nonce is recorded. In the clear, and in mode OFF, it is refused.
         *
         *     For everybody.
         *
         *     At most 120 requests in 60 s.
         */
        post: operations["answerTime"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/actuator/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check the health of the service
         * @description Holders of `api:admin:health:read` see each component.
         *
         *     For everybody; a token is optional.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["readHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/actuator/health/liveness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process is alive
         * @description Independent of the stores: a restart would not bring them back.
         *
         *     For everybody.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["readLiveness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/actuator/health/readiness": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process accepts requests
         * @description For load balancers. DOWN while an essential component is down, and while the server stops.
         *
         *     For everybody.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["readReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count sign-ins, locks, replays and refusals by interval
         * @description An hour by minutes or a day by hours, over all nodes; the last interval is the present one. `from` is the start of the first, and `interval` its length, both in milliseconds. `sign-in.failure` counts wrong second steps as well, and `sign-in.lock` locks of codes of second factors. `flood.refused` counts every 429, and `sign-in.not-allowed` sign-ins of administrators from an address that is not in the IP whitelist. The counters are in the store of sessions: one in memory begins at zero with each start.
         *
         *     For administrators, with `api:admin:activity:read`.
         */
        get: operations["readActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/activity/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Watch sign-ins, locks, replays and refusals
         * @description Server-sent events, read by `fetch` with the header `Authorization`: a token never stands in the URL. The data of an event is JSON. `{ "kind": "activity", "activity": … }` has all that `GET /admin/activity` has, and `sessions`: how many are open of administrators (`admin`) and of app users (`app`), as `{ count, isExact }`, or null. With the permission `api:admin:activity:sources` it also has `sources`, where sign-ins fail: `names` of accounts that exist, `addresses` and `networks` (IPv4 by /24, IPv6 by /48), at most ten of each, with the least number of `failures`. With `api:admin:login-policy:explain` it has `locks`, as `{ data, hasMore }`: the first 20 of `GET /admin/login-policy/locks`, read every two seconds. An event comes within a second after a change, and replaces all before it; `{ "kind": "beat" }` comes after 15 s without one. With `Last-Event-ID`, which any node knows, the first event is `{ "kind": "unchanged" }` if nothing has changed. In an encrypted connection the data of each event is sealed. The stream ends with its session, does not prolong it, and ends when its permission is withdrawn. A reader that takes nothing for 30 s is dropped. An administrator has at most 4 streams on a node.
         *
         *     For administrators, with `api:admin:activity:read`.
         */
        get: operations["streamActivity"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/actuator/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the metrics in the format of Prometheus
         * @description Scrapers that can’t sign in read the same at `/metrics` on `SERVICE_METRICS_PORT`.
         *
         *     For administrators, with `api:admin:metrics:read`.
         *
         *     Unencrypted in every encryption mode.
         */
        get: operations["readMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        ServiceTime: {
            data: {
                /** @description Milliseconds since the Unix epoch. */
                serverTime: number;
            };
        };
        EncryptionBootstrap: {
            data: {
                /** @enum {string} */
                mode: "OFF" | "OPTIONAL" | "REQUIRED";
                /** @enum {string} */
                suite: "sm2-sm4-gcm-v1";
                /** @enum {integer} */
                version: 1;
                /** @description Absent in mode OFF without a key. */
                keyId?: string;
                /** @description 04, x, y in hex. */
                publicKey?: string;
                timestampWindowSeconds: number;
                maxPayloadBytes: number;
                maxQueryBytes: number;
                /** @description Milliseconds since the Unix epoch. */
                serverTime: number;
                /** @description The routes that are never encrypted, PATH or PATH METHOD. For people; a client ignores it. */
                exempt: string[];
            };
        };
        /**
         * @description A refusal (RFC 9457). `code` is stable, for programs; `detail` is for people.
         *
         *     | status | code | meaning |
         *     |---|---|---|
         *     | 400 | `BODY_MALFORMED` | The body is missing, or is not well-formed JSON. |
         *     | 400 | `CAPTCHA_INVALID` | The captcha was answered wrongly, too late or not at all. Answer a new one. |
         *     | 400 | `CAPTCHA_KIND_REFUSED` | This kind of captcha is not accepted here. Ask without a kind. |
         *     | 400 | `CAPTCHA_REQUIRED` | Answer a captcha first, and ask again. |
         *     | 400 | `ENVELOPE_EXPIRED_OR_REPLAYED` | Encrypted request expired or submitted twice. |
         *     | 400 | `ENVELOPE_KEY_UNKNOWN` | The encrypted request was made for an unknown key. Read the public key again. |
         *     | 400 | `ENVELOPE_MALFORMED` | The encrypted request is malformed. |
         *     | 400 | `ENVELOPE_PLAINTEXT_INVALID` | The decrypted request is not well-formed. |
         *     | 400 | `ENVELOPE_REJECTED` | The encrypted request was rejected. |
         *     | 400 | `ENVELOPE_REQUIRED` | This endpoint needs an encrypted request. |
         *     | 400 | `ENVELOPE_VERSION_UNSUPPORTED` | The encryption protocol version is not supported. |
         *     | 400 | `HOST_INVALID` | The request needs exactly one valid Host header. |
         *     | 400 | `IDEMPOTENCY_BODY_UNSUPPORTED` | The request cannot be compared with its retries. |
         *     | 400 | `IDEMPOTENCY_KEY_INVALID` | The header Idempotency-Key has to be one UUID. |
         *     | 400 | `IDEMPOTENCY_KEY_REQUIRED` | This request needs the header Idempotency-Key. |
         *     | 400 | `LOGIN_NAME_REFUSED` | This is not a user name. |
         *     | 400 | `LOGIN_TERMINAL_REFUSED` | This terminal cannot sign in here. |
         *     | 400 | `MOBILE_INVALID` | This is not a mobile number. |
         *     | 400 | `MOBILE_REGION_REFUSED` | No messages are sent to numbers of this country. |
         *     | 400 | `NEW_CODE_REQUIRED` | This code can no longer be used. Ask for a new one. |
         *     | 400 | `OLD_PASSWORD_WRONG` | The old password is wrong. |
         *     | 400 | `PARAMETER_INVALID` | The change is not valid. |
         *     | 400 | `PASSWORD_COMMON` | This password is too easy to guess: it is common or has leaked, or is made from the username or mobile number of the account or from a word of the organisation. Choose another one. |
         *     | 400 | `PASSWORD_NOT_HASHED` | The app has to send a digest of the password, and this is none that is accepted here. Update the app, or tell its maker. |
         *     | 400 | `PASSWORD_REUSED` | This is one of the latest passwords of the account. Choose another one. |
         *     | 400 | `ROLE_UNKNOWN` | One of the roles does not exist. |
         *     | 400 | `SMS_CODE_WRONG` | The code is wrong, or it can no longer be used. |
         *     | 400 | `TICKET_USE_INVALID` | No ticket can be had for this. |
         *     | 400 | `UPLOAD_EMPTY` | The file is empty. |
         *     | 400 | `UPLOAD_MALFORMED` | The body has to be a form (multipart/form-data) with exactly one file. |
         *     | 400 | `VALIDATION_FAILED` | The request is not valid. |
         *     | 401 | `ACCOUNT_DISABLED` | The account is disabled. |
         *     | 401 | `LOGIN_FAILED` | The sign-in details are wrong. |
         *     | 401 | `PASSWORD_CHANGED` | The password was changed. Sign in again. |
         *     | 401 | `SECOND_FACTOR_FAILED` | The second factor is not right, or it was used before. |
         *     | 401 | `SESSION_EXPIRED` | The session has expired. Sign in again. |
         *     | 401 | `SESSION_REVOKED` | The session was ended. Sign in again. |
         *     | 401 | `SESSION_SUPERSEDED` | The session was ended by a newer sign-in. Sign in again. |
         *     | 401 | `TOKEN_INVALID` | The access token is not valid. Sign in again. |
         *     | 401 | `TOKEN_MISSING` | Sign in first. |
         *     | 403 | `ENROLMENT_CODE_REQUIRED` | The time for setting up a second factor is over. Enter a valid code from an administrator. |
         *     | 403 | `GRANT_NOT_HELD` | You can grant and change only permissions that you hold yourself. |
         *     | 403 | `LOGIN_IP_REFUSED` | Sign-in is not allowed from this address. |
         *     | 403 | `PASSWORD_CHANGE_REQUIRED` | Change your password first. Until then, only that and signing out are possible. |
         *     | 403 | `PERMISSION_DENIED` | You have no permission for this. |
         *     | 403 | `REGISTRATION_CLOSED` | Registration is closed. |
         *     | 403 | `SAFE_MODE` | This is a demonstration: nothing can be changed here. |
         *     | 403 | `SECOND_FACTOR_ENROLMENT_REQUIRED` | Set up a second factor first. |
         *     | 403 | `SECOND_FACTOR_REQUIRED` | Confirm the sign-in with your second factor first. |
         *     | 403 | `SESSION_PURPOSE_REFUSED` | Finish the sign-in first. |
         *     | 403 | `STEP_UP_REQUIRED` | Confirm again that it is you: with your second factor or, without one, your password. |
         *     | 403 | `TICKET_INVALID` | The ticket is not valid, or it was used. |
         *     | 403 | `UPLOAD_PREVIEW_REFUSED` | This file may not be previewed publicly. |
         *     | 404 | `ACCOUNT_GONE` | The account no longer exists. |
         *     | 404 | `NOT_FOUND` | There is nothing at this address. |
         *     | 404 | `PARAMETER_UNKNOWN` | There is no such system parameter. |
         *     | 409 | `IDEMPOTENCY_OUTCOME_UNKNOWN` | Whether this took effect is unknown. Check, and if it did not, send it with a new Idempotency-Key. |
         *     | 409 | `IDEMPOTENCY_PROCESSING` | The same request is being processed. Wait a moment. |
         *     | 409 | `IDEMPOTENCY_SUBMITTED` | This was submitted already. Refresh and view the result. |
         *     | 409 | `LAST_FULL_ADMINISTRATOR` | Somebody else has to have every permission first. |
         *     | 409 | `OWN_ACCOUNT` | This cannot be done to your own account. |
         *     | 409 | `OWN_SECOND_FACTORS` | Administrators cannot reset their own second factors. |
         *     | 409 | `PARAMETER_CONFIRMATION_NEEDED` | The change needs to be confirmed. |
         *     | 409 | `PARAMETER_VERSION_CONFLICT` | The parameter was changed meanwhile. Read it again. |
         *     | 409 | `PASSKEYS_NOT_CONFIGURED` | Passkeys are not available here. Use an authenticator app. |
         *     | 409 | `ROLE_IN_USE` | Administrators have this role. Take it from them first. |
         *     | 409 | `ROLE_NAME_TAKEN` | Another role has this name. |
         *     | 409 | `SECOND_FACTOR_LAST` | A second factor is required. Set up another one before you remove this one. |
         *     | 409 | `SECOND_FACTOR_NOT_ENROLLED` | Set up an authenticator app or a passkey first. |
         *     | 409 | `SECOND_FACTOR_OFF` | The second factor is switched off. |
         *     | 409 | `TOO_MANY_PASSKEYS` | This account has too many passkeys. Remove one first. |
         *     | 409 | `USERNAME_LOOKS_ALIKE` | The name looks like that of another account. Choose another one, or confirm it. |
         *     | 409 | `USERNAME_TAKEN` | Another account has this user name. |
         *     | 409 | `VERSION_CONFLICT` | Somebody changed this meanwhile. Read it again. |
         *     | 412 | `PRECONDITION_FAILED` | The file has another content than the request asks for. |
         *     | 413 | `BODY_TOO_LARGE` | The body is too large. |
         *     | 413 | `ENVELOPE_TOO_LARGE` | The encrypted request is too large. |
         *     | 413 | `UPLOAD_TOO_LARGE` | The file is too large. |
         *     | 414 | `URL_TOO_LONG` | A part of the address is too long. |
         *     | 415 | `CONTENT_ENCODING_UNSUPPORTED` | A body with a Content-Encoding, or with a Transfer-Encoding other than chunked, is not accepted. |
         *     | 415 | `MEDIA_TYPE_UNSUPPORTED` | The body has to be application/json. |
         *     | 415 | `UPLOAD_TYPE_REFUSED` | A file like this is not accepted. |
         *     | 416 | `RANGE_NOT_SATISFIABLE` | The file has no such bytes. |
         *     | 422 | `IDEMPOTENCY_DIGEST_MISMATCH` | This Idempotency-Key belongs to a request with other content. Use a new one. |
         *     | 429 | `LOGIN_LOCKED` | Too many failed sign-ins. Try again later. |
         *     | 429 | `RATE_LIMITED` | Too many requests. Try again later. |
         *     | 429 | `SESSION_CONNECTIONS_EXCEEDED` | You have too many downloads and uploads open. Try again when one has ended. |
         *     | 429 | `SMS_LIMITED` | Too many codes were sent. Try again later. |
         *     | 429 | `STREAMS_EXCEEDED` | Too many live views are open. Close one of them. |
         *     | 429 | `UPLOAD_TOO_MANY` | You have too many uploads under way. Try again when one has ended. |
         *     | 431 | `HEADERS_TOO_MANY` | The request has too many headers. |
         *     | 500 | `INTERNAL_ERROR` | Something went wrong here. Name the request id when you report it. |
         *     | 503 | `AUDIT_UNAVAILABLE` | The operation could not be recorded and is not confirmed. See whether it took effect before you try again. |
         *     | 503 | `CAPTCHA_BUSY` | Too many captchas at once. Try again in a moment. |
         *     | 503 | `CAPTCHA_PROVIDER_UNAVAILABLE` | Captchas cannot be checked at the moment. Try again with a new one. |
         *     | 503 | `DATABASE_UNAVAILABLE` | The service is temporarily unavailable. |
         *     | 503 | `ENVELOPE_KEY_UNAVAILABLE` | Encrypted requests cannot be opened at the moment. Try again later. |
         *     | 503 | `ENVELOPE_REPLAY_STORE_UNAVAILABLE` | Encrypted requests cannot be checked at the moment. Try again later. |
         *     | 503 | `IDEMPOTENCY_STORE_UNAVAILABLE` | The request was not processed. Send it again with the same Idempotency-Key. |
         *     | 503 | `LOGIN_POLICY_UNAVAILABLE` | Sign-ins cannot be checked at the moment. Try again later. |
         *     | 503 | `NOTIFICATION_QUEUE_UNAVAILABLE` | Messages cannot be sent at the moment. Try again later. |
         *     | 503 | `ONE_TIME_CODES_UNAVAILABLE` | Codes can be neither sent nor checked at the moment. Try again later. |
         *     | 503 | `PARAMETER_CHANGE_NOT_RECORDED` | The change could not be recorded and was not made. Try again later. |
         *     | 503 | `PASSWORD_WORKERS_BUSY` | The server is too busy to check the password. Try again in a moment. |
         *     | 503 | `PERMISSIONS_UNAVAILABLE` | Permissions cannot be checked at the moment. Try again later. |
         *     | 503 | `SECOND_FACTOR_UNAVAILABLE` | The second factor can not be checked at the moment. Try again later. |
         *     | 503 | `SESSION_LIFETIME_UNAVAILABLE` | Sessions cannot be checked at the moment. Try again later. |
         *     | 503 | `SESSION_STORE_UNAVAILABLE` | Sessions cannot be checked at the moment. Try again later. |
         *     | 503 | `SMS_UNAVAILABLE` | Text messages cannot be sent here. |
         *     | 503 | `STORAGE_UNAVAILABLE` | Files are not available at the moment. Try again later. |
         *     | 503 | `STORE_UNAVAILABLE` | The service is temporarily unavailable. |
         *     | 503 | `SYSTEM_PARAMETERS_UNAVAILABLE` | System parameters are not available at the moment. Try again later. |
         *     | 503 | `UPLOAD_NOT_STORED` | The file cannot be stored at the moment. Try again later. |
         *     | 503 | `UPLOAD_POLICY_UNAVAILABLE` | Uploads cannot be checked at the moment. Try again later. |
         *     | 507 | `STORAGE_FULL` | There is no room for the file at the moment. |
         */
        Problem: {
            /** @enum {string} */
            type: "about:blank";
            title: string;
            status: number;
            detail: string;
            code: string;
            requestId: string;
            errors?: {
                /** @description The place in the request (RFC 6901). */
                pointer: string;
                detail: string;
            }[];
            retryAfterSeconds?: number;
            /** @description The time of the service, for clients whose clock is wrong. */
            serverTime?: number;
            /** @description The recommended reaction of the client. */
            clientAction?: string;
            /** @description Where to get the captcha: the path of a GET request, with its query. */
            captcha?: string;
        };
        Activity: {
            /** Format: int64 */
            from: number;
            /** Format: int64 */
            interval: number;
            kinds: {
                "sign-in.success": number[];
                "sign-in.failure": number[];
                "sign-in.not-allowed": number[];
                "sign-in.lock": number[];
                "envelope.replay": number[];
                "upload.refused": number[];
                "flood.refused": number[];
            };
        };
        ActivityAnswer: {
            data: components["schemas"]["Activity"];
        };
        Administrator: {
            id: string;
            username: string;
            displayName: string;
            disabled: boolean;
            inactive: boolean;
            roleIds: string[];
            /** Format: int64 */
            version: number;
            /** Format: int64 */
            createdAt: number;
            /** Format: int64 */
            updatedAt: number;
        };
        AdministratorAnswer: {
            data: components["schemas"]["Administrator"];
        };
        AdministratorCredentials: {
            username: string;
            /** Format: bcrypt-password */
            password: string;
            terminal: string;
            key?: string;
            code?: string;
            proof?: string;
            deviceToken?: string;
        };
        AdministratorList: {
            data: components["schemas"]["Administrator"][];
            page: components["schemas"]["CursorPage"];
            roles: {
                id: string;
                name: string;
                permissions: string[];
            }[] | null;
        };
        AdministratorProfile: {
            id: string;
            username: string;
            displayName: string;
            permissions: string[];
            grants: string[];
        };
        AdministratorProfileAnswer: {
            data: components["schemas"]["AdministratorProfile"];
        };
        AppCredentials: {
            mobile: string;
            /** Format: bcrypt-password */
            password?: string;
            smsCode?: string;
            handle?: string;
            terminal: string;
            deviceToken?: string;
            key?: string;
            code?: string;
            proof?: string;
        } & ({
            /** Format: bcrypt-password */
            password: string;
        } | {
            smsCode: string;
        });
        AppPasswordChange: {
            /** Format: bcrypt-password */
            newPassword: string;
            /** Format: bcrypt-password */
            oldPassword?: string;
            smsCode?: string;
            handle?: string;
            deviceToken?: string;
            key?: string;
            code?: string;
            proof?: string;
        } & ({
            /** Format: bcrypt-password */
            oldPassword: string;
        } | {
            smsCode: string;
        });
        AppProfile: {
            mobile: string;
            displayName: string;
            hasPassword: boolean;
        };
        AppProfileAnswer: {
            data: components["schemas"]["AppProfile"];
        };
        AppUser: {
            id: string;
            mobile: string;
            displayName: string;
            hasPassword: boolean;
            disabled: boolean;
            inactive: boolean;
            /** Format: int64 */
            createdAt: number;
            /** Format: int64 */
            updatedAt: number;
        };
        AppUserAnswer: {
            data: components["schemas"]["AppUser"];
        };
        AppUserList: {
            data: components["schemas"]["AppUser"][];
            page: components["schemas"]["CursorPage"];
        };
        AuditAction: {
            action: string;
            text: components["schemas"]["Texts"];
        };
        AuditActionList: {
            data: components["schemas"]["AuditAction"][];
        };
        AuditFinding: {
            /** @enum {string} */
            kind: "changed" | "checkpoint" | "deleted" | "head" | "inserted" | "pending" | "reordered" | "replaced" | "truncated";
            /** Format: int64 */
            sequence: number;
            /** Format: int64 */
            lastSequence: number;
            id: string | null;
            detail: string;
        };
        AuditRecord: {
            id: string;
            /** Format: int64 */
            occurredAt: number;
            actor: string | null;
            action: string;
            target: string | null;
            /** @enum {string} */
            outcome: "success" | "failure" | "refused" | "unknown";
            reason: string | null;
            /** Format: int64 */
            durationMillis: number;
            parameters: unknown;
            clientIp: string | null;
            extra: {
                requestId: string | null;
                terminal: string | null;
                method: string | null;
                path: string | null;
                userAgent: string | null;
                exception: string | null;
            };
        };
        AuditRecordList: {
            data: components["schemas"]["AuditRecord"][];
            page: components["schemas"]["CursorPage"];
            actors: {
                actor: string;
                username: string;
            }[] | null;
        };
        AuditVerification: {
            id: string;
            /** @enum {string} */
            state: "running" | "finished" | "failed" | "interrupted";
            /** Format: int64 */
            startedAt: number;
            startedBy: string;
            /** Format: int64 */
            endedAt: number | null;
            /** Format: int64 */
            rows: number;
            percent: number;
            intact: boolean | null;
            /** Format: int64 */
            findingCount: number;
            findings: components["schemas"]["AuditFinding"][];
            /** Format: int64 */
            coveredTo: number | null;
            /** Format: int64 */
            checkpoints: number | null;
            given: {
                origin: string;
                /** Format: int64 */
                sequence: number;
                at: string;
                ownKey?: boolean;
            } | null;
        };
        AuditVerificationAnswer: {
            data: components["schemas"]["AuditVerification"];
        };
        Captcha: {
            enabled: boolean;
            key?: string;
            kind?: components["schemas"]["CaptchaKind"];
            kinds?: components["schemas"]["CaptchaKind"][];
            image?: string;
            alphabet?: string;
            challenge?: components["schemas"]["ProofOfWorkChallenge"];
            /** Format: int64 */
            expiresInSeconds?: number;
        };
        CaptchaAnswer: {
            data: components["schemas"]["Captcha"];
        };
        /** @enum {string} */
        CaptchaKind: "image" | "proof-of-work" | "both" | "external";
        ChangedAdministrator: {
            /** Format: legible-name */
            displayName?: string;
            roleIds?: string[];
            disabled?: boolean;
            /** Format: int64 */
            version?: number;
        };
        ChangedAppUser: {
            disabled: boolean;
        };
        ChangedProfile: {
            /** Format: legible-name */
            displayName: string;
        };
        ChangedRole: {
            /** Format: legible-name */
            name?: string;
            permissions?: string[];
            /** Format: int64 */
            version?: number;
        };
        ClearedLimits: {
            stillLocked: components["schemas"]["LockedAddress"][];
        };
        ClearedLimitsAnswer: {
            data: components["schemas"]["ClearedLimits"];
        };
        CodeLimits: {
            /** Format: int64 */
            liveCodes: number;
            /** Format: int64 */
            messages: number;
            /** Format: int64 */
            wrongCodes: number;
            limits: {
                /** @enum {string} */
                limit: "send-captcha" | "slow-messages" | "message-interval" | "check-captcha" | "long-codes-only" | "long-codes-only-overall" | "long-codes-overall";
                /** Format: int64 */
                until: number;
            }[];
        };
        CompletedSignIn: {
            [key: string]: unknown;
        };
        /** @description The page of a long list. `next` is the `after` of the next page, or null at the end. `number` and `total` are there unless the page was asked for by `after`; `totalIsExact` is there if counting ends at a limit. */
        CursorPage: {
            /** Format: int64 */
            number?: number;
            /** Format: int64 */
            size: number;
            /** Format: int64 */
            total?: number;
            totalIsExact?: boolean;
            next: string | null;
        };
        EnrolledFactor: {
            id: string;
            /** @enum {string} */
            kind: "totp" | "passkey";
            signIn?: components["schemas"]["CompletedSignIn"];
        };
        EnrolledFactorAnswer: {
            data: components["schemas"]["EnrolledFactor"];
        };
        EnrolmentCode: {
            code: string;
            /** Format: int64 */
            expiresAt: number;
        };
        EnrolmentCodeAnswer: {
            data: components["schemas"]["EnrolmentCode"];
        };
        Health: {
            /** @enum {string} */
            status: "UP" | "DOWN";
            components?: {
                [key: string]: components["schemas"]["HealthComponent"];
            };
        };
        HealthComponent: {
            /** @enum {string} */
            status: "UP" | "DOWN";
            details?: {
                [key: string]: string | number | boolean | null;
            };
        };
        HealthState: {
            /** @enum {string} */
            status: "UP" | "DOWN";
        };
        IdempotencyKeyUse: {
            /** @enum {string} */
            state: "PROCESSING" | "SUBMITTED" | "UNKNOWN";
            requests: {
                method: string;
                path: string;
                /** @enum {string} */
                state: "PROCESSING" | "SUBMITTED" | "UNKNOWN";
            }[];
        };
        IdempotencyKeyUseAnswer: {
            data: components["schemas"]["IdempotencyKeyUse"];
        };
        LimitsToClear: {
            username?: string;
            terminal?: string;
            /** Format: ip-address */
            clientIp?: string;
        } & ({
            username: string;
        } | {
            /** Format: ip-address */
            clientIp: string;
        });
        LockedAddress: {
            /** @enum {string} */
            counter: "subject" | "account" | "ip" | "device";
            address: string | null;
            /** Format: int64 */
            lockedUntil: number;
        };
        LoginCounter: {
            /** @enum {string} */
            counter: "subject" | "account" | "ip" | "device";
            address: string | null;
            /** Format: int64 */
            limit: number;
            /** @enum {string} */
            state: "counting" | "locked";
            /** Format: int64 */
            failures?: number;
            /** Format: int64 */
            inFlight?: number;
            /** Format: int64 */
            windowEndsAt?: number | null;
            /** Format: int64 */
            lockedUntil?: number;
        };
        LoginLimitExplanation: {
            username: string;
            terminal: string;
            /** Format: int64 */
            lockedUntil: number | null;
            counters: components["schemas"]["LoginCounter"][];
            devices: {
                /** Format: int64 */
                known: number;
                /** Format: int64 */
                locked: number;
            };
            codes?: components["schemas"]["CodeLimits"];
        };
        LoginLimitExplanationAnswer: {
            data: components["schemas"]["LoginLimitExplanation"];
        };
        MissingSecondFactor: {
            kinds: string[];
            mustEnrol: boolean;
        };
        NewAdministrator: {
            /** Format: username */
            username: string;
            /** Format: bcrypt-password */
            password: string;
            /** Format: legible-name */
            displayName: string;
            roleIds?: string[];
            disabled?: boolean;
            confirm?: boolean;
        };
        NewEnrolmentCode: Record<string, never>;
        NewPasskey: {
            name?: string | null;
            credential: components["schemas"]["PublicKeyCredentialJSON"];
            enrolmentCode?: string;
        };
        NewPasskeyQuestion: {
            enrolmentCode?: string;
        };
        NewPassword: {
            /** Format: bcrypt-password */
            password: string;
        };
        NewPayment: {
            /** Format: legible-name */
            payee: string;
            /** Format: payment-amount */
            amount: string;
        };
        NewRecoveryCodes: Record<string, never>;
        NewRole: {
            /** Format: legible-name */
            name: string;
            permissions: string[];
        };
        NewTicket: {
            purpose: string;
            resource: string;
        };
        NewTotp: {
            name?: string | null;
            enrolmentCode?: string;
        };
        Notification: {
            id: string;
            /** @enum {string} */
            kind: "sms-code";
            recipient: string;
            /** @enum {string} */
            state: "queued" | "sending" | "retrying" | "sent" | "superseded" | "expired" | "unconfirmed" | "refused" | "failed";
            /** Format: int64 */
            attempts: number;
            /** Format: int64 */
            queuedAt: number;
            /** Format: int64 */
            expiresAt: number;
            /** Format: int64 */
            finishedAt?: number;
        };
        NotificationList: {
            data: components["schemas"]["Notification"][];
            page: components["schemas"]["Page"];
        };
        OutboxMessage: {
            id: string;
            mobile: string;
            text: string;
            code: string;
            /** Format: int64 */
            sentAt: number;
        };
        OutboxMessageList: {
            data: components["schemas"]["OutboxMessage"][];
            page: components["schemas"]["Page"];
        };
        OwnFile: {
            id: string;
            fileName: string;
            extension: string;
            mediaType: string;
            /** Format: int64 */
            size: number;
            sha256: string;
            publicPreview: boolean;
            /** Format: int64 */
            createdAt: number;
        };
        OwnFileAnswer: {
            data: components["schemas"]["OwnFile"];
        };
        OwnFileList: {
            data: components["schemas"]["OwnFile"][];
            page: components["schemas"]["CursorPage"];
        };
        OwnPasswordChange: {
            /** Format: bcrypt-password */
            oldPassword: string;
            /** Format: bcrypt-password */
            newPassword: string;
            deviceToken?: string;
        };
        OwnSessionList: {
            data: components["schemas"]["Session"][];
        };
        /** @description The page of a list: its number from 1, its size, and how many items there are. */
        Page: {
            /** Format: int64 */
            number: number;
            /** Format: int64 */
            size: number;
            /** Format: int64 */
            total: number;
        };
        PasskeyAssertion: {
            [key: string]: unknown;
        };
        PasskeyCreationOptions: {
            [key: string]: unknown;
        };
        PasskeyCreationOptionsAnswer: {
            data: components["schemas"]["PasskeyCreationOptions"];
        };
        PasskeyRequestOptions: {
            [key: string]: unknown;
        };
        PasskeyRequestOptionsAnswer: {
            data: components["schemas"]["PasskeyRequestOptions"];
        };
        PasswordRecovery: {
            mobile: string;
            smsCode: string;
            /** Format: bcrypt-password */
            newPassword: string;
            handle?: string;
            key?: string;
            code?: string;
            proof?: string;
        };
        Payment: {
            id: string;
            payee: string;
            amount: string;
            createdBy: string;
            /** Format: int64 */
            createdAt: number;
        };
        PaymentAnswer: {
            data: components["schemas"]["Payment"];
        };
        PaymentList: {
            data: components["schemas"]["Payment"][];
            page: components["schemas"]["CursorPage"];
        };
        PermissionCode: {
            code: string;
            text: components["schemas"]["Texts"];
        };
        PermissionGroup: {
            name: string;
            title: components["schemas"]["Texts"];
            permissions: components["schemas"]["PermissionCode"][];
        };
        PermissionGroupList: {
            data: components["schemas"]["PermissionGroup"][];
        };
        PresentLock: {
            /** @enum {string} */
            audience: "admin" | "app";
            username: string | null;
            terminal: string;
            clientIp: string;
            /** @enum {string} */
            scope: "subject" | "account" | "ip";
            /** Format: int64 */
            lockedUntil: number;
        };
        PresentLockList: {
            data: components["schemas"]["PresentLock"][];
            page: components["schemas"]["CursorPage"];
        };
        ProofOfWorkChallenge: {
            /** @enum {string} */
            algorithm: "scrypt";
            purpose: string;
            /** Format: int64 */
            n: number;
            /** Format: int64 */
            r: number;
            /** Format: int64 */
            p: number;
            /** Format: int64 */
            puzzles: number;
            /** Format: int64 */
            below: number;
        };
        ProvenSecondFactor: {
            token?: string;
            /** @enum {string} */
            tokenType?: "Bearer";
            /** Format: int64 */
            expiresAt?: number;
            username?: string;
            mobile?: string;
            deviceToken?: string;
            /** Format: int64 */
            provenUntil?: number;
        };
        ProvenSecondFactorAnswer: {
            data: components["schemas"]["ProvenSecondFactor"];
        };
        PublicKeyCredentialJSON: {
            [key: string]: unknown;
        };
        PublicSystemParameters: {
            /** @description Values by key. */
            data: {
                [key: string]: string | number | boolean;
            };
        };
        RecoveryCodes: {
            codes: string[];
        };
        RecoveryCodesAnswer: {
            data: components["schemas"]["RecoveryCodes"];
        };
        RegisteredAdministrator: {
            username: string;
            displayName: string;
        };
        RegisteredAdministratorAnswer: {
            data: components["schemas"]["RegisteredAdministrator"];
        };
        Registration: {
            /** Format: username */
            username: string;
            /** Format: bcrypt-password */
            password: string;
            terminal: string;
            /** Format: legible-name */
            displayName: string;
            key: string;
            code?: string;
            proof?: string;
        } & ({
            code: string;
        } | {
            proof: string;
        });
        Role: {
            id: string;
            name: string;
            permissions: string[];
            /** Format: int64 */
            version: number;
            /** Format: int64 */
            createdAt: number;
            /** Format: int64 */
            updatedAt: number;
        };
        RoleAnswer: {
            data: components["schemas"]["Role"];
        };
        RoleList: {
            data: components["schemas"]["Role"][];
            page: components["schemas"]["Page"];
        };
        SecondFactor: {
            id: string;
            /** @enum {string} */
            kind: "totp" | "passkey" | "recovery-code";
            name: string | null;
            /** Format: int64 */
            createdAt: number;
            /** Format: int64 */
            lastUsedAt: number | null;
            /** Format: int64 */
            codesLeft?: number;
            isBackedUp?: boolean;
        };
        SecondFactorList: {
            data: components["schemas"]["SecondFactor"][];
            /** @enum {string} */
            mode: "OFF" | "OPTIONAL" | "REQUIRED";
        };
        SecondFactorProof: {
            /** @enum {string} */
            kind: "totp" | "recovery-code" | "passkey" | "password";
            code?: string;
            credential?: components["schemas"]["PasskeyAssertion"];
            /** Format: bcrypt-password */
            password?: string;
            deviceToken?: string;
        } & ({
            code: string;
        } | {
            credential: components["schemas"]["PasskeyAssertion"];
        } | {
            /** Format: bcrypt-password */
            password: string;
        });
        SecondFactorQuestion: {
            /** @enum {string} */
            kind: "passkey";
        };
        SentSmsCode: {
            handle: string;
            /** Format: int64 */
            validSeconds: number;
            /** Format: int64 */
            resendSeconds: number;
        };
        SentSmsCodeAnswer: {
            data: components["schemas"]["SentSmsCode"];
        };
        Session: {
            id: string;
            /** @enum {string} */
            audience: "admin" | "app";
            subject: string;
            userName?: string | null;
            /** @enum {string} */
            purpose?: "second-factor" | "enrolment";
            terminal?: string;
            clientIp?: string;
            userAgent?: string;
            /** Format: int64 */
            issuedAt: number;
            /** Format: int64 */
            lastSeenAt: number;
            /** Format: int64 */
            expiresAt: number;
            /** Format: int64 */
            idleExpiresAt: number;
            current: boolean;
        };
        SessionList: {
            data: components["schemas"]["Session"][];
            page: components["schemas"]["CursorPage"];
        };
        SignOut: Record<string, never>;
        SignedInAdministrator: {
            token: string;
            /** @enum {string} */
            tokenType: "Bearer";
            /** Format: int64 */
            expiresAt: number;
            username: string;
            deviceToken?: string;
            secondFactor?: components["schemas"]["MissingSecondFactor"];
        };
        SignedInAdministratorAnswer: {
            data: components["schemas"]["SignedInAdministrator"];
        };
        SignedInAppUser: {
            token: string;
            /** @enum {string} */
            tokenType: "Bearer";
            /** Format: int64 */
            expiresAt: number;
            mobile: string;
            deviceToken?: string;
            secondFactor?: components["schemas"]["MissingSecondFactor"];
        };
        SignedInAppUserAnswer: {
            data: components["schemas"]["SignedInAppUser"];
        };
        SmsCodeRequest: {
            mobile: string;
            /** @enum {string} */
            for?: "login" | "recover";
            key?: string;
            code?: string;
            proof?: string;
        };
        StoredFile: {
            id: string;
            fileName: string;
            extension: string;
            mediaType: string;
            /** Format: int64 */
            size: number;
            sha256: string;
            publicPreview: boolean;
            /** Format: int64 */
            createdAt: number;
            createdBy: string;
            /** @enum {string} */
            createdByAudience: "admin" | "app";
        };
        StoredFileAnswer: {
            data: components["schemas"]["StoredFile"];
        };
        StoredFileList: {
            data: components["schemas"]["StoredFile"][];
            page: components["schemas"]["CursorPage"];
            policy: {
                maxSizeMb: number;
                validationEnabled: boolean;
                allowedExtensions: string;
                allowedMimeTypes: string;
            } | null;
        };
        SystemParameter: {
            key: string;
            /** @enum {string} */
            type: "STRING" | "INTEGER" | "LONG" | "BOOLEAN";
            /** @description The value in force. */
            value: string | number | boolean;
            /** @description The value in force until somebody changes it. */
            defaultValue: string | number | boolean;
            /** Format: int64 */
            minimum?: number | null;
            /** Format: int64 */
            maximum?: number | null;
            /** Format: int64 */
            maxLength?: number | null;
            /** @description The only values that it may have. Null: any value of its type within the bounds. */
            values?: string[] | null;
            unit?: components["schemas"]["SystemParameterUnit"] | null;
            group?: components["schemas"]["SystemParameterGroup"] | null;
            isPublic: boolean;
            description: string;
            texts: components["schemas"]["SystemParameterTexts"];
            /** Format: int64 */
            version: number;
            updatedBy?: string | null;
            /**
             * Format: int64
             * @description Milliseconds since the Unix epoch.
             */
            updatedAt?: number | null;
            fault?: string | null;
        };
        SystemParameterAnswer: {
            data: components["schemas"]["SystemParameter"];
        };
        SystemParameterChange: {
            /** @description The new value: a string, a number or a boolean, or its exact text. */
            value: unknown;
            /** @description The version that was read, a whole number. */
            version: unknown;
            /** @description true makes a change that was refused with PARAMETER_CONFIRMATION_NEEDED. Default false. */
            confirm?: unknown;
        };
        SystemParameterGroup: {
            name: string;
            texts: components["schemas"]["SystemParameterTexts"];
        };
        SystemParameterList: {
            data: components["schemas"]["SystemParameter"][];
            page: {
                /** Format: int64 */
                number: number;
                /** Format: int64 */
                size: number;
                /** Format: int64 */
                total: number;
            };
        };
        /** @description A text by language: en, and what others the definition has, such as zh-CN. */
        SystemParameterTexts: {
            en: string;
        } & {
            [key: string]: string;
        };
        SystemParameterUnit: {
            name: string;
            texts: components["schemas"]["SystemParameterTexts"];
        };
        /** @description A text in each language. */
        Texts: {
            en: string;
            "zh-CN": string;
        };
        Ticket: {
            ticket: string;
            /** Format: int64 */
            expiresInSeconds: number;
        };
        TicketAnswer: {
            data: components["schemas"]["Ticket"];
        };
        TotpConfirmation: {
            code: string;
            enrolmentCode?: string;
        };
        TotpEnrolment: {
            id: string;
            secret: string;
            uri: string;
            /** Format: int64 */
            expiresAt: number;
        };
        TotpEnrolmentAnswer: {
            data: components["schemas"]["TotpEnrolment"];
        };
        UploadForm: {
            /** @description The file, in a field of any name. */
            file: Blob;
            /**
             * @description Left out: `false`.
             * @enum {string}
             */
            publicPreview?: "true" | "false";
        };
        UploadSimulation: {
            accepted: boolean;
            reason: string | null;
            mediaType: string | null;
            rules: {
                /** @enum {string} */
                rule: "nonEmpty" | "size" | "extension" | "mediaType" | "header" | "archive" | "office" | "text";
                /** @enum {string} */
                outcome: "passed" | "refused" | "notApplicable";
                enforced: boolean;
                reason: string | null;
                detail: string | null;
            }[];
        };
        UploadSimulationAnswer: {
            data: components["schemas"]["UploadSimulation"];
        };
        VerifyAuditLog: {
            checkpoint?: string;
            publicKey?: string;
        };
    };
    responses: {
        /** @description Bad Request: `HOST_INVALID`. */
        Refused400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "HOST_INVALID";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `CAPTCHA_INVALID`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `IDEMPOTENCY_BODY_UNSUPPORTED`, `IDEMPOTENCY_KEY_INVALID`, `MOBILE_INVALID`, `NEW_CODE_REQUIRED`, `PASSWORD_COMMON`, `PASSWORD_NOT_HASHED`, `PASSWORD_REUSED`, `SMS_CODE_WRONG`, `VALIDATION_FAILED`. */
        Refused400BodyCaptchaEnvelopeIdempotencyMobileNewPasswordSmsValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "CAPTCHA_INVALID" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "IDEMPOTENCY_BODY_UNSUPPORTED" | "IDEMPOTENCY_KEY_INVALID" | "MOBILE_INVALID" | "NEW_CODE_REQUIRED" | "PASSWORD_COMMON" | "PASSWORD_NOT_HASHED" | "PASSWORD_REUSED" | "SMS_CODE_WRONG" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `CAPTCHA_INVALID`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `IDEMPOTENCY_BODY_UNSUPPORTED`, `IDEMPOTENCY_KEY_INVALID`, `PASSWORD_COMMON`, `PASSWORD_NOT_HASHED`, `VALIDATION_FAILED`. */
        Refused400BodyCaptchaEnvelopeIdempotencyPasswordValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "CAPTCHA_INVALID" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "IDEMPOTENCY_BODY_UNSUPPORTED" | "IDEMPOTENCY_KEY_INVALID" | "PASSWORD_COMMON" | "PASSWORD_NOT_HASHED" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `CAPTCHA_REQUIRED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `LOGIN_NAME_REFUSED`, `LOGIN_TERMINAL_REFUSED`, `MOBILE_INVALID`, `NEW_CODE_REQUIRED`, `VALIDATION_FAILED`. */
        Refused400BodyCaptchaEnvelopeLoginMobileNewValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "CAPTCHA_REQUIRED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "LOGIN_NAME_REFUSED" | "LOGIN_TERMINAL_REFUSED" | "MOBILE_INVALID" | "NEW_CODE_REQUIRED" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `CAPTCHA_REQUIRED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `LOGIN_TERMINAL_REFUSED`, `NEW_CODE_REQUIRED`, `OLD_PASSWORD_WRONG`, `PASSWORD_COMMON`, `PASSWORD_NOT_HASHED`, `PASSWORD_REUSED`, `SMS_CODE_WRONG`, `VALIDATION_FAILED`. */
        Refused400BodyCaptchaEnvelopeLoginNewOldPasswordSmsValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "CAPTCHA_REQUIRED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "LOGIN_TERMINAL_REFUSED" | "NEW_CODE_REQUIRED" | "OLD_PASSWORD_WRONG" | "PASSWORD_COMMON" | "PASSWORD_NOT_HASHED" | "PASSWORD_REUSED" | "SMS_CODE_WRONG" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `CAPTCHA_INVALID`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `LOGIN_NAME_REFUSED`, `LOGIN_TERMINAL_REFUSED`, `VALIDATION_FAILED`. */
        Refused400BodyCaptchaEnvelopeLoginValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "CAPTCHA_INVALID" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "LOGIN_NAME_REFUSED" | "LOGIN_TERMINAL_REFUSED" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `CAPTCHA_REQUIRED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `MOBILE_INVALID`, `MOBILE_REGION_REFUSED`, `VALIDATION_FAILED`. */
        Refused400BodyCaptchaEnvelopeMobileValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "CAPTCHA_REQUIRED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "MOBILE_INVALID" | "MOBILE_REGION_REFUSED" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `IDEMPOTENCY_BODY_UNSUPPORTED`, `IDEMPOTENCY_KEY_INVALID`, `PARAMETER_INVALID`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopeIdempotencyParameterValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "IDEMPOTENCY_BODY_UNSUPPORTED" | "IDEMPOTENCY_KEY_INVALID" | "PARAMETER_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `IDEMPOTENCY_BODY_UNSUPPORTED`, `IDEMPOTENCY_KEY_INVALID`, `PASSWORD_COMMON`, `PASSWORD_NOT_HASHED`, `ROLE_UNKNOWN`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopeIdempotencyPasswordRoleValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "IDEMPOTENCY_BODY_UNSUPPORTED" | "IDEMPOTENCY_KEY_INVALID" | "PASSWORD_COMMON" | "PASSWORD_NOT_HASHED" | "ROLE_UNKNOWN" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `IDEMPOTENCY_BODY_UNSUPPORTED`, `IDEMPOTENCY_KEY_INVALID`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopeIdempotencyValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "IDEMPOTENCY_BODY_UNSUPPORTED" | "IDEMPOTENCY_KEY_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `IDEMPOTENCY_BODY_UNSUPPORTED`, `IDEMPOTENCY_KEY_INVALID`, `IDEMPOTENCY_KEY_REQUIRED`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopeIdempotencyValidation2: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "IDEMPOTENCY_BODY_UNSUPPORTED" | "IDEMPOTENCY_KEY_INVALID" | "IDEMPOTENCY_KEY_REQUIRED" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `LOGIN_NAME_REFUSED`, `LOGIN_TERMINAL_REFUSED`, `MOBILE_INVALID`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopeLoginMobileValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "LOGIN_NAME_REFUSED" | "LOGIN_TERMINAL_REFUSED" | "MOBILE_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `LOGIN_TERMINAL_REFUSED`, `OLD_PASSWORD_WRONG`, `PASSWORD_COMMON`, `PASSWORD_NOT_HASHED`, `PASSWORD_REUSED`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopeLoginOldPasswordValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "LOGIN_TERMINAL_REFUSED" | "OLD_PASSWORD_WRONG" | "PASSWORD_COMMON" | "PASSWORD_NOT_HASHED" | "PASSWORD_REUSED" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `PASSWORD_COMMON`, `PASSWORD_NOT_HASHED`, `PASSWORD_REUSED`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopePasswordValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "PASSWORD_COMMON" | "PASSWORD_NOT_HASHED" | "PASSWORD_REUSED" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `ROLE_UNKNOWN`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopeRoleValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "ROLE_UNKNOWN" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `TICKET_USE_INVALID`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopeTicketValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "TICKET_USE_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `BODY_MALFORMED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `VALIDATION_FAILED`. */
        Refused400BodyEnvelopeValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "BODY_MALFORMED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `CAPTCHA_KIND_REFUSED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `MOBILE_INVALID`, `VALIDATION_FAILED`. */
        Refused400CaptchaEnvelopeMobileValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "CAPTCHA_KIND_REFUSED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "MOBILE_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `CAPTCHA_KIND_REFUSED`, `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `VALIDATION_FAILED`. */
        Refused400CaptchaEnvelopeValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "CAPTCHA_KIND_REFUSED" | "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`. */
        Refused400Envelope: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID";
                };
            };
        };
        /** @description Bad Request: `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `IDEMPOTENCY_KEY_INVALID`, `VALIDATION_FAILED`. */
        Refused400EnvelopeIdempotencyValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "IDEMPOTENCY_KEY_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `LOGIN_NAME_REFUSED`, `LOGIN_TERMINAL_REFUSED`, `MOBILE_INVALID`, `VALIDATION_FAILED`. */
        Refused400EnvelopeLoginMobileValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "LOGIN_NAME_REFUSED" | "LOGIN_TERMINAL_REFUSED" | "MOBILE_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `MOBILE_INVALID`, `VALIDATION_FAILED`. */
        Refused400EnvelopeMobileValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "MOBILE_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `ENVELOPE_EXPIRED_OR_REPLAYED`, `ENVELOPE_KEY_UNKNOWN`, `ENVELOPE_MALFORMED`, `ENVELOPE_PLAINTEXT_INVALID`, `ENVELOPE_REJECTED`, `ENVELOPE_REQUIRED`, `ENVELOPE_VERSION_UNSUPPORTED`, `HOST_INVALID`, `VALIDATION_FAILED`. */
        Refused400EnvelopeValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "ENVELOPE_EXPIRED_OR_REPLAYED" | "ENVELOPE_KEY_UNKNOWN" | "ENVELOPE_MALFORMED" | "ENVELOPE_PLAINTEXT_INVALID" | "ENVELOPE_REJECTED" | "ENVELOPE_REQUIRED" | "ENVELOPE_VERSION_UNSUPPORTED" | "HOST_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `HOST_INVALID`, `IDEMPOTENCY_BODY_UNSUPPORTED`, `IDEMPOTENCY_KEY_INVALID`, `UPLOAD_EMPTY`, `UPLOAD_MALFORMED`. */
        Refused400IdempotencyUpload: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "HOST_INVALID" | "IDEMPOTENCY_BODY_UNSUPPORTED" | "IDEMPOTENCY_KEY_INVALID" | "UPLOAD_EMPTY" | "UPLOAD_MALFORMED";
                };
            };
        };
        /** @description Bad Request: `HOST_INVALID`, `UPLOAD_EMPTY`, `VALIDATION_FAILED`. */
        Refused400UploadValidation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "HOST_INVALID" | "UPLOAD_EMPTY" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Bad Request: `HOST_INVALID`, `VALIDATION_FAILED`. */
        Refused400ValidationFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 400;
                    /** @enum {string} */
                    code?: "HOST_INVALID" | "VALIDATION_FAILED";
                };
            };
        };
        /** @description Unauthorized: `ACCOUNT_DISABLED`, `PASSWORD_CHANGED`, `SECOND_FACTOR_FAILED`, `SESSION_EXPIRED`, `SESSION_REVOKED`, `SESSION_SUPERSEDED`, `TOKEN_INVALID`, `TOKEN_MISSING`. */
        Refused401AccountPasswordSecondSessionToken: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 401;
                    /** @enum {string} */
                    code?: "ACCOUNT_DISABLED" | "PASSWORD_CHANGED" | "SECOND_FACTOR_FAILED" | "SESSION_EXPIRED" | "SESSION_REVOKED" | "SESSION_SUPERSEDED" | "TOKEN_INVALID" | "TOKEN_MISSING";
                };
            };
        };
        /** @description Unauthorized: `ACCOUNT_DISABLED`, `PASSWORD_CHANGED`, `SESSION_EXPIRED`, `SESSION_REVOKED`, `SESSION_SUPERSEDED`, `TOKEN_INVALID`, `TOKEN_MISSING`. */
        Refused401AccountPasswordSessionToken: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 401;
                    /** @enum {string} */
                    code?: "ACCOUNT_DISABLED" | "PASSWORD_CHANGED" | "SESSION_EXPIRED" | "SESSION_REVOKED" | "SESSION_SUPERSEDED" | "TOKEN_INVALID" | "TOKEN_MISSING";
                };
            };
        };
        /** @description Unauthorized: `LOGIN_FAILED`, `SESSION_REVOKED`. */
        Refused401LoginSession: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 401;
                    /** @enum {string} */
                    code?: "LOGIN_FAILED" | "SESSION_REVOKED";
                };
            };
        };
        /** @description Forbidden: `ENROLMENT_CODE_REQUIRED`, `PASSWORD_CHANGE_REQUIRED`, `PERMISSION_DENIED`, `SAFE_MODE`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`, `STEP_UP_REQUIRED`. */
        Refused403EnrolmentPasswordPermissionSafeSecondSessionStep: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "ENROLMENT_CODE_REQUIRED" | "PASSWORD_CHANGE_REQUIRED" | "PERMISSION_DENIED" | "SAFE_MODE" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED" | "STEP_UP_REQUIRED";
                };
            };
        };
        /** @description Forbidden: `GRANT_NOT_HELD`, `PASSWORD_CHANGE_REQUIRED`, `PERMISSION_DENIED`, `SAFE_MODE`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`. */
        Refused403GrantPasswordPermissionSafeSecondSession: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "GRANT_NOT_HELD" | "PASSWORD_CHANGE_REQUIRED" | "PERMISSION_DENIED" | "SAFE_MODE" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED";
                };
            };
        };
        /** @description Forbidden: `GRANT_NOT_HELD`, `PASSWORD_CHANGE_REQUIRED`, `PERMISSION_DENIED`, `SAFE_MODE`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`, `STEP_UP_REQUIRED`. */
        Refused403GrantPasswordPermissionSafeSecondSessionStep: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "GRANT_NOT_HELD" | "PASSWORD_CHANGE_REQUIRED" | "PERMISSION_DENIED" | "SAFE_MODE" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED" | "STEP_UP_REQUIRED";
                };
            };
        };
        /** @description Forbidden: `LOGIN_IP_REFUSED`. */
        Refused403LoginIpRefused: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "LOGIN_IP_REFUSED";
                };
            };
        };
        /** @description Forbidden: `LOGIN_IP_REFUSED`, `PERMISSION_DENIED`, `SAFE_MODE`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`. */
        Refused403LoginPermissionSafeSecondSession: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "LOGIN_IP_REFUSED" | "PERMISSION_DENIED" | "SAFE_MODE" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED";
                };
            };
        };
        /** @description Forbidden: `LOGIN_IP_REFUSED`, `PERMISSION_DENIED`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`. */
        Refused403LoginPermissionSecondSession: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "LOGIN_IP_REFUSED" | "PERMISSION_DENIED" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED";
                };
            };
        };
        /** @description Forbidden: `LOGIN_IP_REFUSED`, `REGISTRATION_CLOSED`, `SAFE_MODE`. */
        Refused403LoginRegistrationSafe: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "LOGIN_IP_REFUSED" | "REGISTRATION_CLOSED" | "SAFE_MODE";
                };
            };
        };
        /** @description Forbidden: `PASSWORD_CHANGE_REQUIRED`, `PERMISSION_DENIED`, `SAFE_MODE`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`. */
        Refused403PasswordPermissionSafeSecondSession: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "PASSWORD_CHANGE_REQUIRED" | "PERMISSION_DENIED" | "SAFE_MODE" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED";
                };
            };
        };
        /** @description Forbidden: `PASSWORD_CHANGE_REQUIRED`, `PERMISSION_DENIED`, `SAFE_MODE`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`, `STEP_UP_REQUIRED`. */
        Refused403PasswordPermissionSafeSecondSessionStep: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "PASSWORD_CHANGE_REQUIRED" | "PERMISSION_DENIED" | "SAFE_MODE" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED" | "STEP_UP_REQUIRED";
                };
            };
        };
        /** @description Forbidden: `PASSWORD_CHANGE_REQUIRED`, `PERMISSION_DENIED`, `SAFE_MODE`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`, `UPLOAD_PREVIEW_REFUSED`. */
        Refused403PasswordPermissionSafeSecondSessionUpload: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "PASSWORD_CHANGE_REQUIRED" | "PERMISSION_DENIED" | "SAFE_MODE" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED" | "UPLOAD_PREVIEW_REFUSED";
                };
            };
        };
        /** @description Forbidden: `PASSWORD_CHANGE_REQUIRED`, `PERMISSION_DENIED`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`. */
        Refused403PasswordPermissionSecondSession: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "PASSWORD_CHANGE_REQUIRED" | "PERMISSION_DENIED" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED";
                };
            };
        };
        /** @description Forbidden: `PERMISSION_DENIED`. */
        Refused403PermissionDenied: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "PERMISSION_DENIED";
                };
            };
        };
        /** @description Forbidden: `PERMISSION_DENIED`, `SAFE_MODE`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`. */
        Refused403PermissionSafeSecondSession: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "PERMISSION_DENIED" | "SAFE_MODE" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED";
                };
            };
        };
        /** @description Forbidden: `PERMISSION_DENIED`, `SECOND_FACTOR_ENROLMENT_REQUIRED`, `SECOND_FACTOR_REQUIRED`, `SESSION_PURPOSE_REFUSED`. */
        Refused403PermissionSecondSession: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "PERMISSION_DENIED" | "SECOND_FACTOR_ENROLMENT_REQUIRED" | "SECOND_FACTOR_REQUIRED" | "SESSION_PURPOSE_REFUSED";
                };
            };
        };
        /** @description Forbidden: `SAFE_MODE`. */
        Refused403SafeMode: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "SAFE_MODE";
                };
            };
        };
        /** @description Forbidden: `TICKET_INVALID`. */
        Refused403TicketInvalid: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "TICKET_INVALID";
                };
            };
        };
        /** @description Not Found: `ACCOUNT_GONE`. */
        Refused404AccountGone: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 404;
                    /** @enum {string} */
                    code?: "ACCOUNT_GONE";
                };
            };
        };
        /** @description Not Found: `ACCOUNT_GONE`, `NOT_FOUND`. */
        Refused404AccountNot: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 404;
                    /** @enum {string} */
                    code?: "ACCOUNT_GONE" | "NOT_FOUND";
                };
            };
        };
        /** @description Not Found: `NOT_FOUND`. */
        Refused404NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 404;
                    /** @enum {string} */
                    code?: "NOT_FOUND";
                };
            };
        };
        /** @description Not Found: `PARAMETER_UNKNOWN`. */
        Refused404ParameterUnknown: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 404;
                    /** @enum {string} */
                    code?: "PARAMETER_UNKNOWN";
                };
            };
        };
        /** @description Conflict: `IDEMPOTENCY_OUTCOME_UNKNOWN`, `IDEMPOTENCY_PROCESSING`, `IDEMPOTENCY_SUBMITTED`. */
        Refused409Idempotency: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "IDEMPOTENCY_OUTCOME_UNKNOWN" | "IDEMPOTENCY_PROCESSING" | "IDEMPOTENCY_SUBMITTED";
                };
            };
        };
        /** @description Conflict: `IDEMPOTENCY_OUTCOME_UNKNOWN`, `IDEMPOTENCY_PROCESSING`, `IDEMPOTENCY_SUBMITTED`, `PARAMETER_CONFIRMATION_NEEDED`, `PARAMETER_VERSION_CONFLICT`. */
        Refused409IdempotencyParameter: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "IDEMPOTENCY_OUTCOME_UNKNOWN" | "IDEMPOTENCY_PROCESSING" | "IDEMPOTENCY_SUBMITTED" | "PARAMETER_CONFIRMATION_NEEDED" | "PARAMETER_VERSION_CONFLICT";
                };
            };
        };
        /** @description Conflict: `IDEMPOTENCY_OUTCOME_UNKNOWN`, `IDEMPOTENCY_PROCESSING`, `IDEMPOTENCY_SUBMITTED`, `ROLE_NAME_TAKEN`. */
        Refused409IdempotencyRole: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "IDEMPOTENCY_OUTCOME_UNKNOWN" | "IDEMPOTENCY_PROCESSING" | "IDEMPOTENCY_SUBMITTED" | "ROLE_NAME_TAKEN";
                };
            };
        };
        /** @description Conflict: `IDEMPOTENCY_OUTCOME_UNKNOWN`, `IDEMPOTENCY_PROCESSING`, `IDEMPOTENCY_SUBMITTED`, `USERNAME_TAKEN`. */
        Refused409IdempotencyUsername: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "IDEMPOTENCY_OUTCOME_UNKNOWN" | "IDEMPOTENCY_PROCESSING" | "IDEMPOTENCY_SUBMITTED" | "USERNAME_TAKEN";
                };
            };
        };
        /** @description Conflict: `IDEMPOTENCY_OUTCOME_UNKNOWN`, `IDEMPOTENCY_PROCESSING`, `IDEMPOTENCY_SUBMITTED`, `USERNAME_LOOKS_ALIKE`, `USERNAME_TAKEN`. */
        Refused409IdempotencyUsername2: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "IDEMPOTENCY_OUTCOME_UNKNOWN" | "IDEMPOTENCY_PROCESSING" | "IDEMPOTENCY_SUBMITTED" | "USERNAME_LOOKS_ALIKE" | "USERNAME_TAKEN";
                };
            };
        };
        /** @description Conflict: `IDEMPOTENCY_OUTCOME_UNKNOWN`, `IDEMPOTENCY_PROCESSING`, `IDEMPOTENCY_SUBMITTED`, `VERSION_CONFLICT`. */
        Refused409IdempotencyVersion: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "IDEMPOTENCY_OUTCOME_UNKNOWN" | "IDEMPOTENCY_PROCESSING" | "IDEMPOTENCY_SUBMITTED" | "VERSION_CONFLICT";
                };
            };
        };
        /** @description Conflict: `LAST_FULL_ADMINISTRATOR`, `OWN_ACCOUNT`. */
        Refused409LastOwn: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "LAST_FULL_ADMINISTRATOR" | "OWN_ACCOUNT";
                };
            };
        };
        /** @description Conflict: `LAST_FULL_ADMINISTRATOR`, `OWN_ACCOUNT`, `VERSION_CONFLICT`. */
        Refused409LastOwnVersion: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "LAST_FULL_ADMINISTRATOR" | "OWN_ACCOUNT" | "VERSION_CONFLICT";
                };
            };
        };
        /** @description Conflict: `LAST_FULL_ADMINISTRATOR`, `ROLE_NAME_TAKEN`, `VERSION_CONFLICT`. */
        Refused409LastRoleVersion: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "LAST_FULL_ADMINISTRATOR" | "ROLE_NAME_TAKEN" | "VERSION_CONFLICT";
                };
            };
        };
        /** @description Conflict: `OWN_SECOND_FACTORS`. */
        Refused409OwnSecondFactors: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "OWN_SECOND_FACTORS";
                };
            };
        };
        /** @description Conflict: `OWN_ACCOUNT`, `VERSION_CONFLICT`. */
        Refused409OwnVersion: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "OWN_ACCOUNT" | "VERSION_CONFLICT";
                };
            };
        };
        /** @description Conflict: `PASSKEYS_NOT_CONFIGURED`. */
        Refused409PasskeysNotConfigured: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "PASSKEYS_NOT_CONFIGURED";
                };
            };
        };
        /** @description Conflict: `PASSKEYS_NOT_CONFIGURED`, `SECOND_FACTOR_NOT_ENROLLED`. */
        Refused409PasskeysSecond: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "PASSKEYS_NOT_CONFIGURED" | "SECOND_FACTOR_NOT_ENROLLED";
                };
            };
        };
        /** @description Conflict: `PASSKEYS_NOT_CONFIGURED`, `SECOND_FACTOR_OFF`, `TOO_MANY_PASSKEYS`. */
        Refused409PasskeysSecondToo: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "PASSKEYS_NOT_CONFIGURED" | "SECOND_FACTOR_OFF" | "TOO_MANY_PASSKEYS";
                };
            };
        };
        /** @description Conflict: `ROLE_IN_USE`. */
        Refused409RoleInUse: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "ROLE_IN_USE";
                };
            };
        };
        /** @description Conflict: `SECOND_FACTOR_NOT_ENROLLED`, `SECOND_FACTOR_OFF`. */
        Refused409Second: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "SECOND_FACTOR_NOT_ENROLLED" | "SECOND_FACTOR_OFF";
                };
            };
        };
        /** @description Conflict: `SECOND_FACTOR_LAST`, `SECOND_FACTOR_OFF`. */
        Refused409Second2: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "SECOND_FACTOR_LAST" | "SECOND_FACTOR_OFF";
                };
            };
        };
        /** @description Conflict: `SECOND_FACTOR_OFF`. */
        Refused409SecondFactorOff: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "SECOND_FACTOR_OFF";
                };
            };
        };
        /** @description undefined: `PRECONDITION_FAILED`. */
        Refused412PreconditionFailed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 412;
                    /** @enum {string} */
                    code?: "PRECONDITION_FAILED";
                };
            };
        };
        /** @description Content Too Large: `BODY_TOO_LARGE`, `ENVELOPE_TOO_LARGE`. */
        Refused413BodyEnvelope: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 413;
                    /** @enum {string} */
                    code?: "BODY_TOO_LARGE" | "ENVELOPE_TOO_LARGE";
                };
            };
        };
        /** @description Content Too Large: `ENVELOPE_TOO_LARGE`. */
        Refused413EnvelopeTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 413;
                    /** @enum {string} */
                    code?: "ENVELOPE_TOO_LARGE";
                };
            };
        };
        /** @description Content Too Large: `UPLOAD_TOO_LARGE`. */
        Refused413UploadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 413;
                    /** @enum {string} */
                    code?: "UPLOAD_TOO_LARGE";
                };
            };
        };
        /** @description URI Too Long: `URL_TOO_LONG`. */
        Refused414UrlTooLong: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 414;
                    /** @enum {string} */
                    code?: "URL_TOO_LONG";
                };
            };
        };
        /** @description Unsupported Media Type: `CONTENT_ENCODING_UNSUPPORTED`. */
        Refused415ContentEncodingUnsupported: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 415;
                    /** @enum {string} */
                    code?: "CONTENT_ENCODING_UNSUPPORTED";
                };
            };
        };
        /** @description Unsupported Media Type: `CONTENT_ENCODING_UNSUPPORTED`, `MEDIA_TYPE_UNSUPPORTED`. */
        Refused415ContentMedia: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 415;
                    /** @enum {string} */
                    code?: "CONTENT_ENCODING_UNSUPPORTED" | "MEDIA_TYPE_UNSUPPORTED";
                };
            };
        };
        /** @description Unsupported Media Type: `CONTENT_ENCODING_UNSUPPORTED`, `MEDIA_TYPE_UNSUPPORTED`, `UPLOAD_TYPE_REFUSED`. */
        Refused415ContentMediaUpload: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 415;
                    /** @enum {string} */
                    code?: "CONTENT_ENCODING_UNSUPPORTED" | "MEDIA_TYPE_UNSUPPORTED" | "UPLOAD_TYPE_REFUSED";
                };
            };
        };
        /** @description Range Not Satisfiable: `RANGE_NOT_SATISFIABLE`. */
        Refused416RangeNotSatisfiable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 416;
                    /** @enum {string} */
                    code?: "RANGE_NOT_SATISFIABLE";
                };
            };
        };
        /** @description Unprocessable Content: `IDEMPOTENCY_DIGEST_MISMATCH`. */
        Refused422IdempotencyDigestMismatch: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 422;
                    /** @enum {string} */
                    code?: "IDEMPOTENCY_DIGEST_MISMATCH";
                };
            };
        };
        /** @description Too Many Requests: `RATE_LIMITED`. */
        Refused429: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 429;
                    /** @enum {string} */
                    code?: "RATE_LIMITED";
                };
            };
        };
        /** @description Too Many Requests: `LOGIN_LOCKED`, `RATE_LIMITED`. */
        Refused429LoginLocked: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 429;
                    /** @enum {string} */
                    code?: "LOGIN_LOCKED" | "RATE_LIMITED";
                };
            };
        };
        /** @description Too Many Requests: `RATE_LIMITED`, `SESSION_CONNECTIONS_EXCEEDED`. */
        Refused429SessionConnectionsExceeded: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 429;
                    /** @enum {string} */
                    code?: "RATE_LIMITED" | "SESSION_CONNECTIONS_EXCEEDED";
                };
            };
        };
        /** @description Too Many Requests: `RATE_LIMITED`, `SESSION_CONNECTIONS_EXCEEDED`, `STREAMS_EXCEEDED`. */
        Refused429SessionStreams: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 429;
                    /** @enum {string} */
                    code?: "RATE_LIMITED" | "SESSION_CONNECTIONS_EXCEEDED" | "STREAMS_EXCEEDED";
                };
            };
        };
        /** @description Too Many Requests: `RATE_LIMITED`, `SESSION_CONNECTIONS_EXCEEDED`, `UPLOAD_TOO_MANY`. */
        Refused429SessionUpload: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 429;
                    /** @enum {string} */
                    code?: "RATE_LIMITED" | "SESSION_CONNECTIONS_EXCEEDED" | "UPLOAD_TOO_MANY";
                };
            };
        };
        /** @description Too Many Requests: `RATE_LIMITED`, `SMS_LIMITED`. */
        Refused429SmsLimited: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 429;
                    /** @enum {string} */
                    code?: "RATE_LIMITED" | "SMS_LIMITED";
                };
            };
        };
        /** @description Request Header Fields Too Large: `HEADERS_TOO_MANY`. */
        Refused431: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 431;
                    /** @enum {string} */
                    code?: "HEADERS_TOO_MANY";
                };
            };
        };
        /** @description Internal Server Error: `INTERNAL_ERROR`. */
        Refused500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 500;
                    /** @enum {string} */
                    code?: "INTERNAL_ERROR";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `CAPTCHA_BUSY`, `CAPTCHA_PROVIDER_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `IDEMPOTENCY_STORE_UNAVAILABLE`, `ONE_TIME_CODES_UNAVAILABLE`, `PASSWORD_WORKERS_BUSY`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503AuditCaptchaDatabaseEnvelopeIdempotencyOnePasswordSessionStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "CAPTCHA_BUSY" | "CAPTCHA_PROVIDER_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "IDEMPOTENCY_STORE_UNAVAILABLE" | "ONE_TIME_CODES_UNAVAILABLE" | "PASSWORD_WORKERS_BUSY" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `CAPTCHA_BUSY`, `CAPTCHA_PROVIDER_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `IDEMPOTENCY_STORE_UNAVAILABLE`, `PASSWORD_WORKERS_BUSY`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503AuditCaptchaDatabaseEnvelopeIdempotencyPasswordStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "CAPTCHA_BUSY" | "CAPTCHA_PROVIDER_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "IDEMPOTENCY_STORE_UNAVAILABLE" | "PASSWORD_WORKERS_BUSY" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `CAPTCHA_BUSY`, `CAPTCHA_PROVIDER_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `LOGIN_POLICY_UNAVAILABLE`, `ONE_TIME_CODES_UNAVAILABLE`, `PASSWORD_WORKERS_BUSY`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503AuditCaptchaDatabaseEnvelopeLoginOnePasswordSessionStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "CAPTCHA_BUSY" | "CAPTCHA_PROVIDER_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "LOGIN_POLICY_UNAVAILABLE" | "ONE_TIME_CODES_UNAVAILABLE" | "PASSWORD_WORKERS_BUSY" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `CAPTCHA_BUSY`, `CAPTCHA_PROVIDER_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `LOGIN_POLICY_UNAVAILABLE`, `PASSWORD_WORKERS_BUSY`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503AuditCaptchaDatabaseEnvelopeLoginPasswordSessionStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "CAPTCHA_BUSY" | "CAPTCHA_PROVIDER_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "LOGIN_POLICY_UNAVAILABLE" | "PASSWORD_WORKERS_BUSY" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `CAPTCHA_BUSY`, `CAPTCHA_PROVIDER_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `NOTIFICATION_QUEUE_UNAVAILABLE`, `ONE_TIME_CODES_UNAVAILABLE`, `SMS_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503AuditCaptchaEnvelopeNotificationOneSmsStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "CAPTCHA_BUSY" | "CAPTCHA_PROVIDER_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "NOTIFICATION_QUEUE_UNAVAILABLE" | "ONE_TIME_CODES_UNAVAILABLE" | "SMS_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `IDEMPOTENCY_STORE_UNAVAILABLE`, `PARAMETER_CHANGE_NOT_RECORDED`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeIdempotencyParameterPermissionsSessionStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "IDEMPOTENCY_STORE_UNAVAILABLE" | "PARAMETER_CHANGE_NOT_RECORDED" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `IDEMPOTENCY_STORE_UNAVAILABLE`, `PASSWORD_WORKERS_BUSY`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeIdempotencyPasswordPermissionsSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "IDEMPOTENCY_STORE_UNAVAILABLE" | "PASSWORD_WORKERS_BUSY" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `IDEMPOTENCY_STORE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeIdempotencyPermissionsSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "IDEMPOTENCY_STORE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `IDEMPOTENCY_STORE_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeIdempotencySessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "IDEMPOTENCY_STORE_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `LOGIN_POLICY_UNAVAILABLE`, `PASSWORD_WORKERS_BUSY`, `SECOND_FACTOR_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeLoginPasswordSecondSessionStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "LOGIN_POLICY_UNAVAILABLE" | "PASSWORD_WORKERS_BUSY" | "SECOND_FACTOR_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `LOGIN_POLICY_UNAVAILABLE`, `PASSWORD_WORKERS_BUSY`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeLoginPasswordSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "LOGIN_POLICY_UNAVAILABLE" | "PASSWORD_WORKERS_BUSY" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `LOGIN_POLICY_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeLoginPermissionsSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "LOGIN_POLICY_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `LOGIN_POLICY_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeLoginPermissionsSessionStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "LOGIN_POLICY_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `NOTIFICATION_QUEUE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeNotificationPermissionsSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "NOTIFICATION_QUEUE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `PASSWORD_WORKERS_BUSY`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopePasswordPermissionsSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "PASSWORD_WORKERS_BUSY" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORAGE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopePermissionsSessionStorageStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORAGE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopePermissionsSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopePermissionsSessionStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `SECOND_FACTOR_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeSecondSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "SECOND_FACTOR_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabaseEnvelopeSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `IDEMPOTENCY_STORE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORAGE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`, `UPLOAD_NOT_STORED`, `UPLOAD_POLICY_UNAVAILABLE`. */
        Refused503AuditDatabaseIdempotencyPermissionsSessionStorageStoreSystemUpload: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "IDEMPOTENCY_STORE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORAGE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE" | "UPLOAD_NOT_STORED" | "UPLOAD_POLICY_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `IDEMPOTENCY_STORE_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORAGE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`, `UPLOAD_NOT_STORED`, `UPLOAD_POLICY_UNAVAILABLE`. */
        Refused503AuditDatabaseIdempotencySessionStorageStoreSystemUpload: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "IDEMPOTENCY_STORE_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORAGE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE" | "UPLOAD_NOT_STORED" | "UPLOAD_POLICY_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORAGE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabasePermissionsSessionStorageStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORAGE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORAGE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`, `UPLOAD_POLICY_UNAVAILABLE`. */
        Refused503AuditDatabasePermissionsSessionStorageStoreSystemUpload: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORAGE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE" | "UPLOAD_POLICY_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORAGE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`, `UPLOAD_POLICY_UNAVAILABLE`. */
        Refused503AuditDatabasePermissionsSessionStorageStoreSystemUpload2: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORAGE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE" | "UPLOAD_POLICY_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `AUDIT_UNAVAILABLE`, `DATABASE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503AuditDatabasePermissionsSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "AUDIT_UNAVAILABLE" | "DATABASE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `CAPTCHA_BUSY`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `ONE_TIME_CODES_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503CaptchaEnvelopeOneStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "CAPTCHA_BUSY" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "ONE_TIME_CODES_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `CAPTCHA_BUSY`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503CaptchaEnvelopeStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "CAPTCHA_BUSY" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `DATABASE_UNAVAILABLE`, `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503DatabaseEnvelopePermissionsSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "DATABASE_UNAVAILABLE" | "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `DATABASE_UNAVAILABLE`, `PERMISSIONS_UNAVAILABLE`, `SESSION_LIFETIME_UNAVAILABLE`, `SESSION_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503DatabasePermissionsSessionStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "DATABASE_UNAVAILABLE" | "PERMISSIONS_UNAVAILABLE" | "SESSION_LIFETIME_UNAVAILABLE" | "SESSION_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `DATABASE_UNAVAILABLE`, `STORAGE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`, `UPLOAD_POLICY_UNAVAILABLE`. */
        Refused503DatabaseStorageStoreSystemUpload: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "DATABASE_UNAVAILABLE" | "STORAGE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE" | "UPLOAD_POLICY_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`. */
        Refused503EnvelopeStore: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `ENVELOPE_KEY_UNAVAILABLE`, `ENVELOPE_REPLAY_STORE_UNAVAILABLE`, `STORE_UNAVAILABLE`, `SYSTEM_PARAMETERS_UNAVAILABLE`. */
        Refused503EnvelopeStoreSystem: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "ENVELOPE_KEY_UNAVAILABLE" | "ENVELOPE_REPLAY_STORE_UNAVAILABLE" | "STORE_UNAVAILABLE" | "SYSTEM_PARAMETERS_UNAVAILABLE";
                };
            };
        };
        /** @description Service Unavailable: `STORE_UNAVAILABLE`. */
        Refused503StoreUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "STORE_UNAVAILABLE";
                };
            };
        };
        /** @description Insufficient Storage: `STORAGE_FULL`. */
        Refused507StorageFull: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    status?: 507;
                    /** @enum {string} */
                    code?: "STORAGE_FULL";
                };
            };
        };
    };
    parameters: {
        /** @description Chooses the language of `detail`: English or Chinese. */
        "Accept-Language": string;
        /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
        "Api-Encryption": "v1";
        /** @description The kind of captcha. Default: the first that suffices. */
        kind: components["schemas"]["CaptchaKind"];
        /** @description Identifies the write: the same key for every retry, a new key for other content. */
        "Idempotency-Key": string;
        /** @description The kind of client. */
        terminal: string;
        /** @description The number of items per page. */
        size: number;
        /** @description `next` of the page before. Then `page` does not count. Leave it out for the first page. */
        after: string;
        /** @description The number of the page, from 1. */
        page: number;
        /** @description The id. */
        id: string;
        /** @description The beginning of the name, in any case. */
        name: string;
        /** @description A mobile number; without a country code it belongs to `SERVICE_APP_AUTH_DEFAULT_REGION`. */
        mobile: string;
        /** @description The earliest time: milliseconds since the Unix epoch, or a date and time with a zone. */
        from: number | string;
        /** @description The latest time, written as `from`. */
        to: number | string;
        /** @description The key. */
        key: string;
        /** @description One range of bytes, such as `bytes=0-1023`. */
        Range: string;
        /** @description The range applies to this content only. */
        "If-Range": string;
        /** @description Only this content is wanted. */
        "If-Match": string;
        /** @description The content that the client has. */
        "If-None-Match": string;
        /** @description The id. */
        id2: string;
        /** @description Who, exactly, such as `admin:<id>`: the id, not the user name. */
        actor: string;
        /** @description What, exactly, such as `payment.create`; several, of which it is one, are separated by commas. */
        action: string;
        /** @description The beginning of the action, such as `payment.`. */
        actionPrefix: string;
        /** @description Whether actions that end in `.read` are found. Default true. They are recorded in either case. */
        reads: boolean;
        /** @description The client IP. */
        ip: string;
        /** @description The network of the client IP, such as `203.0.113.0/24`. */
        network: string;
        /** @description What the action was done to, exactly: an id, or the name of a sign-in. */
        target: string;
        /** @description The code of the refusal or failure, such as `LOGIN_LOCKED`. */
        reason: string;
        /** @description The outcome. */
        outcome: "success" | "failure" | "refused" | "unknown";
        /** @description The request’s id, as in `X-Request-Id`. */
        requestId: string;
        window: "hour" | "day";
    };
    requestBodies: never;
    headers: {
        /** @description Seconds until the client may try again. */
        "Retry-After": number;
        /** @description RFC 6750. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    readCaptcha: {
        parameters: {
            query?: {
                /** @description The purpose of the captcha. Default: sign-in of administrators, text messages of the app. */
                for?: "login" | "register";
                /** @description The kind of captcha. Default: the first that suffices. */
                kind?: components["parameters"]["kind"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptchaAnswer"];
                };
            };
            400: components["responses"]["Refused400CaptchaEnvelopeValidation"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503CaptchaEnvelopeStoreSystem"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AdministratorCredentials"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInAdministratorAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyCaptchaEnvelopeLoginValidation"];
            401: components["responses"]["Refused401LoginSession"];
            403: components["responses"]["Refused403LoginIpRefused"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429LoginLocked"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditCaptchaDatabaseEnvelopeLoginPasswordSessionStoreSystem"];
        };
    };
    registerAccount: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the write: the same key for every retry, a new key for other content. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Registration"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RegisteredAdministratorAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyCaptchaEnvelopeIdempotencyPasswordValidation"];
            403: components["responses"]["Refused403LoginRegistrationSafe"];
            409: components["responses"]["Refused409IdempotencyUsername"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            422: components["responses"]["Refused422IdempotencyDigestMismatch"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditCaptchaDatabaseEnvelopeIdempotencyPasswordStoreSystem"];
        };
    };
    askForPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorQuestion"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyRequestOptionsAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PermissionSecondSession"];
            404: components["responses"]["Refused404AccountGone"];
            409: components["responses"]["Refused409PasskeysSecond"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSecondSessionStore"];
        };
    };
    proveSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SecondFactorProof"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProvenSecondFactorAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSecondSessionToken"];
            403: components["responses"]["Refused403LoginPermissionSecondSession"];
            404: components["responses"]["Refused404AccountGone"];
            409: components["responses"]["Refused409PasskeysNotConfigured"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429LoginLocked"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeLoginPasswordSecondSessionStoreSystem"];
        };
    };
    clearLoginLimit: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LimitsToClear"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClearedLimitsAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeLoginMobileValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSession"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeLoginPermissionsSessionStore"];
        };
    };
    explainLoginLimit: {
        parameters: {
            query: {
                /** @description The name as typed at sign-in. It need not exist. */
                username: string;
                /** @description The kind of client. */
                terminal?: components["parameters"]["terminal"];
                /** @description The client IP to explain. */
                clientIp?: string;
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoginLimitExplanationAnswer"];
                };
            };
            400: components["responses"]["Refused400EnvelopeLoginMobileValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeLoginPermissionsSessionStoreSystem"];
        };
    };
    listLocks: {
        parameters: {
            query?: {
                /** @description The kind of client. */
                terminal?: components["parameters"]["terminal"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
                /** @description `next` of the page before. Then `page` does not count. Leave it out for the first page. */
                after?: components["parameters"]["after"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresentLockList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeLoginPermissionsSessionStoreSystem"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SignOut"];
            };
        };
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PermissionDenied"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
                /** @description `next` of the page before. Then `page` does not count. Leave it out for the first page. */
                after?: components["parameters"]["after"];
                /** @description `subject`: of one account. `all`: of all users. */
                scope?: "subject" | "all";
                /** @description Whose sessions. */
                audience?: "admin" | "app";
                /** @description The id of the administrator or app user. Default: the caller. */
                subject?: string;
                /** @description An id, the user name of an administrator, or the mobile number of an app user. */
                user?: string;
                /** @description The client IP at sign-in. */
                address?: string;
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    listOwnSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnSessionList"];
                };
            };
            400: components["responses"]["Refused400Envelope"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    signOutEverywhere: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400Envelope"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSessionStep"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    endOwnSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    endOneSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    endSessionsOfAdministrator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    issueTicket: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTicket"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TicketAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeTicketValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSession"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    readProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministratorProfileAnswer"];
                };
            };
            400: components["responses"]["Refused400Envelope"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404AccountGone"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    changeProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedProfile"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministratorProfileAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSession"];
            404: components["responses"]["Refused404AccountGone"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OwnPasswordChange"];
            };
        };
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400BodyEnvelopeLoginOldPasswordValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403LoginPermissionSafeSecondSession"];
            404: components["responses"]["Refused404AccountGone"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429LoginLocked"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeLoginPasswordSessionStore"];
        };
    };
    listOwnFactors: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SecondFactorList"];
                };
            };
            400: components["responses"]["Refused400Envelope"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404AccountGone"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    beginTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTotp"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TotpEnrolmentAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403EnrolmentPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404AccountGone"];
            409: components["responses"]["Refused409SecondFactorOff"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429LoginLocked"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    confirmTotp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotpConfirmation"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrolledFactorAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSecondSessionToken"];
            403: components["responses"]["Refused403EnrolmentPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404AccountGone"];
            409: components["responses"]["Refused409SecondFactorOff"];
            413: components["responses"]["Refused413BodyEnvelope"];
            414: components["responses"]["Refused414UrlTooLong"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429LoginLocked"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSecondSessionStore"];
        };
    };
    beginPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPasskeyQuestion"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PasskeyCreationOptionsAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403EnrolmentPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404AccountGone"];
            409: components["responses"]["Refused409PasskeysSecondToo"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429LoginLocked"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    enrolPasskey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPasskey"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrolledFactorAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSecondSessionToken"];
            403: components["responses"]["Refused403EnrolmentPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404AccountGone"];
            409: components["responses"]["Refused409PasskeysSecondToo"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429LoginLocked"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    createRecoveryCodes: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewRecoveryCodes"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RecoveryCodesAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404AccountGone"];
            409: components["responses"]["Refused409Second"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    removeFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404AccountNot"];
            409: components["responses"]["Refused409Second2"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    resetSecondFactorsOfAdministrator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            409: components["responses"]["Refused409OwnSecondFactors"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    issueEnrolmentCodeOfAdministrator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewEnrolmentCode"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrolmentCodeAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            409: components["responses"]["Refused409OwnSecondFactors"];
            413: components["responses"]["Refused413BodyEnvelope"];
            414: components["responses"]["Refused414UrlTooLong"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    resetSecondFactorsOfAppUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            409: components["responses"]["Refused409OwnSecondFactors"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    issueEnrolmentCodeOfAppUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["NewEnrolmentCode"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrolmentCodeAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            409: components["responses"]["Refused409OwnSecondFactors"];
            413: components["responses"]["Refused413BodyEnvelope"];
            414: components["responses"]["Refused414UrlTooLong"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    listAdministrators: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
                /** @description `next` of the page before. Then `page` does not count. Leave it out for the first page. */
                after?: components["parameters"]["after"];
                /** @description The beginning of the name, in any case. */
                name?: components["parameters"]["name"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministratorList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    createAdministrator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the write: the same key for every retry, a new key for other content. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAdministrator"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministratorAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeIdempotencyPasswordRoleValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            409: components["responses"]["Refused409IdempotencyUsername2"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            422: components["responses"]["Refused422IdempotencyDigestMismatch"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeIdempotencyPasswordPermissionsSessionStore"];
        };
    };
    readAdministrator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministratorAnswer"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    updateAdministrator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedAdministrator"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AdministratorAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeRoleValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            409: components["responses"]["Refused409LastOwnVersion"];
            413: components["responses"]["Refused413BodyEnvelope"];
            414: components["responses"]["Refused414UrlTooLong"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    deleteAdministrator: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            409: components["responses"]["Refused409LastOwn"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    resetPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPassword"];
            };
        };
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400BodyEnvelopePasswordValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            409: components["responses"]["Refused409OwnVersion"];
            413: components["responses"]["Refused413BodyEnvelope"];
            414: components["responses"]["Refused414UrlTooLong"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePasswordPermissionsSessionStore"];
        };
    };
    listRoles: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    createRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the write: the same key for every retry, a new key for other content. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRole"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeIdempotencyValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            409: components["responses"]["Refused409IdempotencyRole"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            422: components["responses"]["Refused422IdempotencyDigestMismatch"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeIdempotencyPermissionsSessionStore"];
        };
    };
    readRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAnswer"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    updateRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedRole"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RoleAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404NotFound"];
            409: components["responses"]["Refused409LastRoleVersion"];
            413: components["responses"]["Refused413BodyEnvelope"];
            414: components["responses"]["Refused414UrlTooLong"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    deleteRole: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403GrantPasswordPermissionSafeSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            409: components["responses"]["Refused409RoleInUse"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    listPermissions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PermissionGroupList"];
                };
            };
            400: components["responses"]["Refused400Envelope"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    readAppCaptcha: {
        parameters: {
            query?: {
                /** @description The purpose of the captcha. Default: sign-in of administrators, text messages of the app. */
                for?: "sms" | "login" | "recover";
                /** @description The kind of captcha. Default: the first that suffices. */
                kind?: components["parameters"]["kind"];
                /** @description A mobile number; without a country code it belongs to `SERVICE_APP_AUTH_DEFAULT_REGION`. */
                mobile?: components["parameters"]["mobile"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CaptchaAnswer"];
                };
            };
            400: components["responses"]["Refused400CaptchaEnvelopeMobileValidation"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503CaptchaEnvelopeOneStoreSystem"];
        };
    };
    sendSmsCode: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SmsCodeRequest"];
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentSmsCodeAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyCaptchaEnvelopeMobileValidation"];
            403: components["responses"]["Refused403SafeMode"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429SmsLimited"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditCaptchaEnvelopeNotificationOneSmsStoreSystem"];
        };
    };
    signInToApp: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppCredentials"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedInAppUserAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyCaptchaEnvelopeLoginMobileNewValidation"];
            401: components["responses"]["Refused401LoginSession"];
            403: components["responses"]["Refused403SafeMode"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429LoginLocked"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditCaptchaDatabaseEnvelopeLoginOnePasswordSessionStoreSystem"];
        };
    };
    recoverAppPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the write: the same key for every retry, a new key for other content. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PasswordRecovery"];
            };
        };
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400BodyCaptchaEnvelopeIdempotencyMobileNewPasswordSmsValidation"];
            403: components["responses"]["Refused403SafeMode"];
            409: components["responses"]["Refused409IdempotencyVersion"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            422: components["responses"]["Refused422IdempotencyDigestMismatch"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditCaptchaDatabaseEnvelopeIdempotencyOnePasswordSessionStoreSystem"];
        };
    };
    readAppProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppProfileAnswer"];
                };
            };
            400: components["responses"]["Refused400Envelope"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404AccountGone"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    changeAppProfile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedProfile"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppProfileAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSession"];
            404: components["responses"]["Refused404AccountGone"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    changeAppPassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AppPasswordChange"];
            };
        };
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400BodyCaptchaEnvelopeLoginNewOldPasswordSmsValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PermissionSafeSecondSession"];
            404: components["responses"]["Refused404AccountGone"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429LoginLocked"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditCaptchaDatabaseEnvelopeLoginOnePasswordSessionStoreSystem"];
        };
    };
    listAppUsers: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
                /** @description `next` of the page before. Then `page` does not count. Leave it out for the first page. */
                after?: components["parameters"]["after"];
                /** @description A mobile number; without a country code it belongs to `SERVICE_APP_AUTH_DEFAULT_REGION`. */
                mobile?: components["parameters"]["mobile"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppUserList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeMobileValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    readAppUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppUserAnswer"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    updateAppUser: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedAppUser"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppUserAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413BodyEnvelope"];
            414: components["responses"]["Refused414UrlTooLong"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    endAppSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
                /** @description `next` of the page before. Then `page` does not count. Leave it out for the first page. */
                after?: components["parameters"]["after"];
                /** @description The beginning of the payee, in any case. */
                payee?: string;
                /** @description The earliest time: milliseconds since the Unix epoch, or a date and time with a zone. */
                from?: components["parameters"]["from"];
                /** @description The latest time, written as `from`. */
                to?: components["parameters"]["to"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    createPayment: {
        parameters: {
            query?: never;
            header: {
                /** @description Identifies the write: the same key for every retry, a new key for other content. */
                "Idempotency-Key": string;
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPayment"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeIdempotencyValidation2"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSession"];
            409: components["responses"]["Refused409Idempotency"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            422: components["responses"]["Refused422IdempotencyDigestMismatch"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeIdempotencyPermissionsSessionStore"];
        };
    };
    readPayment: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentAnswer"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    readIdempotencyKey: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The key. */
                key: components["parameters"]["key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IdempotencyKeyUseAnswer"];
                };
            };
            400: components["responses"]["Refused400EnvelopeIdempotencyValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeIdempotencySessionStore"];
        };
    };
    listParameters: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: number;
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemParameterList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStoreSystem"];
        };
    };
    readParameter: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The key. */
                key: components["parameters"]["key"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemParameterAnswer"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404ParameterUnknown"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStoreSystem"];
        };
    };
    changeParameter: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the write: the same key for every retry, a new key for other content. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The key. */
                key: components["parameters"]["key"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SystemParameterChange"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemParameterAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeIdempotencyParameterValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSessionStep"];
            404: components["responses"]["Refused404ParameterUnknown"];
            409: components["responses"]["Refused409IdempotencyParameter"];
            413: components["responses"]["Refused413BodyEnvelope"];
            414: components["responses"]["Refused414UrlTooLong"];
            415: components["responses"]["Refused415ContentMedia"];
            422: components["responses"]["Refused422IdempotencyDigestMismatch"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeIdempotencyParameterPermissionsSessionStoreSystem"];
        };
    };
    readPublicParameters: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PublicSystemParameters"];
                };
            };
            400: components["responses"]["Refused400Envelope"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503EnvelopeStoreSystem"];
        };
    };
    listFiles: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
                /** @description `next` of the page before. Then `page` does not count. Leave it out for the first page. */
                after?: components["parameters"]["after"];
                /** @description The beginning of the name, in any case. */
                name?: components["parameters"]["name"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredFileList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    uploadFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the write: the same key for every retry, a new key for other content. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["UploadForm"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredFileAnswer"];
                };
            };
            400: components["responses"]["Refused400IdempotencyUpload"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSessionUpload"];
            409: components["responses"]["Refused409Idempotency"];
            413: components["responses"]["Refused413UploadTooLarge"];
            415: components["responses"]["Refused415ContentMediaUpload"];
            422: components["responses"]["Refused422IdempotencyDigestMismatch"];
            429: components["responses"]["Refused429SessionUpload"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseIdempotencyPermissionsSessionStorageStoreSystemUpload"];
            507: components["responses"]["Refused507StorageFull"];
        };
    };
    readContent: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: components["parameters"]["Range"];
                /** @description The range applies to this content only. */
                "If-Range"?: components["parameters"]["If-Range"];
                /** @description Only this content is wanted. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The content that the client has. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content, as the type that was verified. */
            200: {
                headers: {
                    /** @description The digest of the content. */
                    ETag?: string;
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description The requested part. */
            206: {
                headers: {
                    /** @description The digest of the content. */
                    ETag?: string;
                    "Accept-Ranges"?: string;
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description The client has the current content. */
            304: {
                headers: {
                    /** @description The digest of the content. */
                    ETag?: string;
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400ValidationFailed"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            412: components["responses"]["Refused412PreconditionFailed"];
            414: components["responses"]["Refused414UrlTooLong"];
            416: components["responses"]["Refused416RangeNotSatisfiable"];
            429: components["responses"]["Refused429SessionConnectionsExceeded"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabasePermissionsSessionStorageStore"];
        };
    };
    deleteFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, without content. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStorageStore"];
        };
    };
    listOwnFiles: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
                /** @description `next` of the page before. Then `page` does not count. Leave it out for the first page. */
                after?: components["parameters"]["after"];
                /** @description The beginning of the name, in any case. */
                name?: components["parameters"]["name"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnFileList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeSessionStore"];
        };
    };
    uploadOwnFile: {
        parameters: {
            query?: never;
            header?: {
                /** @description Identifies the write: the same key for every retry, a new key for other content. */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["UploadForm"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnFileAnswer"];
                };
            };
            400: components["responses"]["Refused400IdempotencyUpload"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSafeSecondSessionUpload"];
            409: components["responses"]["Refused409Idempotency"];
            413: components["responses"]["Refused413UploadTooLarge"];
            415: components["responses"]["Refused415ContentMediaUpload"];
            422: components["responses"]["Refused422IdempotencyDigestMismatch"];
            429: components["responses"]["Refused429SessionUpload"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseIdempotencySessionStorageStoreSystemUpload"];
            507: components["responses"]["Refused507StorageFull"];
        };
    };
    previewFile: {
        parameters: {
            query: {
                /** @description The id. */
                id: components["parameters"]["id2"];
            };
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: components["parameters"]["Range"];
                /** @description The range applies to this content only. */
                "If-Range"?: components["parameters"]["If-Range"];
                /** @description Only this content is wanted. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The content that the client has. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content, as the type that was verified. */
            200: {
                headers: {
                    /** @description The digest of the content. */
                    ETag?: string;
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description The requested part. */
            206: {
                headers: {
                    /** @description The digest of the content. */
                    ETag?: string;
                    "Accept-Ranges"?: string;
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description The client has the current content. */
            304: {
                headers: {
                    /** @description The digest of the content. */
                    ETag?: string;
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400ValidationFailed"];
            404: components["responses"]["Refused404NotFound"];
            412: components["responses"]["Refused412PreconditionFailed"];
            416: components["responses"]["Refused416RangeNotSatisfiable"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503DatabaseStorageStoreSystemUpload"];
        };
    };
    downloadFile: {
        parameters: {
            query: {
                /** @description The id. */
                id: components["parameters"]["id2"];
                /** @description An unused ticket for this resource. */
                ticket?: string;
            };
            header?: {
                /** @description One range of bytes, such as `bytes=0-1023`. */
                Range?: components["parameters"]["Range"];
                /** @description The range applies to this content only. */
                "If-Range"?: components["parameters"]["If-Range"];
                /** @description Only this content is wanted. */
                "If-Match"?: components["parameters"]["If-Match"];
                /** @description The content that the client has. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The content, as the type that was verified. */
            200: {
                headers: {
                    /** @description The digest of the content. */
                    ETag?: string;
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description The requested part. */
            206: {
                headers: {
                    /** @description The digest of the content. */
                    ETag?: string;
                    "Accept-Ranges"?: string;
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": Blob;
                };
            };
            /** @description The client has the current content. */
            304: {
                headers: {
                    /** @description The digest of the content. */
                    ETag?: string;
                    "Accept-Ranges"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["Refused400ValidationFailed"];
            403: components["responses"]["Refused403TicketInvalid"];
            404: components["responses"]["Refused404NotFound"];
            412: components["responses"]["Refused412PreconditionFailed"];
            416: components["responses"]["Refused416RangeNotSatisfiable"];
            429: components["responses"]["Refused429SessionConnectionsExceeded"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabasePermissionsSessionStorageStoreSystemUpload"];
        };
    };
    simulateUpload: {
        parameters: {
            query: {
                /** @description The name of the file, as a client would send it. */
                fileName: string;
                /** @description A value to try in place of the current one. */
                maxSizeMb?: number;
                /** @description A value to try in place of the current one. */
                validationEnabled?: boolean;
                /** @description A value to try in place of the current one. */
                allowedExtensions?: string;
                /** @description A value to try in place of the current one. */
                allowedMimeTypes?: string;
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "*/*": Blob;
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadSimulationAnswer"];
                };
            };
            400: components["responses"]["Refused400UploadValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413UploadTooLarge"];
            415: components["responses"]["Refused415ContentEncodingUnsupported"];
            429: components["responses"]["Refused429SessionUpload"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabasePermissionsSessionStorageStoreSystemUpload2"];
            507: components["responses"]["Refused507StorageFull"];
        };
    };
    listAuditActions: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditActionList"];
                };
            };
            400: components["responses"]["Refused400Envelope"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503DatabaseEnvelopePermissionsSessionStore"];
        };
    };
    searchAuditRecords: {
        parameters: {
            query?: {
                /** @description The earliest time: milliseconds since the Unix epoch, or a date and time with a zone. */
                from?: components["parameters"]["from"];
                /** @description The latest time, written as `from`. */
                to?: components["parameters"]["to"];
                /** @description Who, exactly, such as `admin:<id>`: the id, not the user name. */
                actor?: components["parameters"]["actor"];
                /** @description What, exactly, such as `payment.create`; several, of which it is one, are separated by commas. */
                action?: components["parameters"]["action"];
                /** @description The beginning of the action, such as `payment.`. */
                actionPrefix?: components["parameters"]["actionPrefix"];
                /** @description Whether actions that end in `.read` are found. Default true. They are recorded in either case. */
                reads?: components["parameters"]["reads"];
                /** @description The client IP. */
                ip?: components["parameters"]["ip"];
                /** @description The network of the client IP, such as `203.0.113.0/24`. */
                network?: components["parameters"]["network"];
                /** @description What the action was done to, exactly: an id, or the name of a sign-in. */
                target?: components["parameters"]["target"];
                /** @description The code of the refusal or failure, such as `LOGIN_LOCKED`. */
                reason?: components["parameters"]["reason"];
                /** @description The outcome. */
                outcome?: components["parameters"]["outcome"];
                /** @description The request’s id, as in `X-Request-Id`. */
                requestId?: components["parameters"]["requestId"];
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
                /** @description `next` of the page before. Then `page` does not count. Leave it out for the first page. */
                after?: components["parameters"]["after"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecordList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    exportAuditRecords: {
        parameters: {
            query: {
                /** @description The earliest time: milliseconds since the Unix epoch, or a date and time with a zone. */
                from?: components["parameters"]["from"];
                /** @description The latest time, written as `from`. */
                to?: components["parameters"]["to"];
                /** @description Who, exactly, such as `admin:<id>`: the id, not the user name. */
                actor?: components["parameters"]["actor"];
                /** @description What, exactly, such as `payment.create`; several, of which it is one, are separated by commas. */
                action?: components["parameters"]["action"];
                /** @description The beginning of the action, such as `payment.`. */
                actionPrefix?: components["parameters"]["actionPrefix"];
                /** @description Whether actions that end in `.read` are found. Default true. They are recorded in either case. */
                reads?: components["parameters"]["reads"];
                /** @description The client IP. */
                ip?: components["parameters"]["ip"];
                /** @description The network of the client IP, such as `203.0.113.0/24`. */
                network?: components["parameters"]["network"];
                /** @description What the action was done to, exactly: an id, or the name of a sign-in. */
                target?: components["parameters"]["target"];
                /** @description The code of the refusal or failure, such as `LOGIN_LOCKED`. */
                reason?: components["parameters"]["reason"];
                /** @description The outcome. */
                outcome?: components["parameters"]["outcome"];
                /** @description The request’s id, as in `X-Request-Id`. */
                requestId?: components["parameters"]["requestId"];
                /** @description The format of the export. */
                format: "csv" | "ndjson";
                bom?: boolean;
                separator?: "comma" | "semicolon";
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The matching records, the oldest first. */
            200: {
                headers: {
                    /** @description A file name. */
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["Refused400ValidationFailed"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            429: components["responses"]["Refused429SessionConnectionsExceeded"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabasePermissionsSessionStore"];
        };
    };
    startVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerifyAuditLog"];
            };
        };
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerificationAnswer"];
                };
            };
            400: components["responses"]["Refused400BodyEnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413BodyEnvelope"];
            415: components["responses"]["Refused415ContentMedia"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    readVerification: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path: {
                /** @description The id. */
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditVerificationAnswer"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            404: components["responses"]["Refused404NotFound"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            414: components["responses"]["Refused414UrlTooLong"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    listNotifications: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NotificationList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopeNotificationPermissionsSessionStore"];
        };
    };
    readOutbox: {
        parameters: {
            query?: {
                /** @description The number of the page, from 1. */
                page?: components["parameters"]["page"];
                /** @description The number of items per page. */
                size?: components["parameters"]["size"];
                /** @description A mobile number; without a country code it belongs to `SERVICE_APP_AUTH_DEFAULT_REGION`. */
                mobile?: string;
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutboxMessageList"];
                };
            };
            400: components["responses"]["Refused400EnvelopeMobileValidation"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503EnvelopeStore"];
        };
    };
    showOutbox: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["Refused400"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503StoreUnavailable"];
        };
    };
    describeEncryption: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Key, mode, limits, and the clock of the service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EncryptionBootstrap"];
                };
            };
            400: components["responses"]["Refused400"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503StoreUnavailable"];
        };
    };
    answerTime: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clock of the service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServiceTime"];
                };
            };
            400: components["responses"]["Refused400Envelope"];
            403: components["responses"]["Refused403SafeMode"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503EnvelopeStore"];
        };
    };
    readHealth: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            400: components["responses"]["Refused400"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            /** @description DOWN. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    readLiveness: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthState"];
                };
            };
            400: components["responses"]["Refused400"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
        };
    };
    readReadiness: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthState"];
                };
            };
            400: components["responses"]["Refused400"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            /** @description DOWN. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthState"];
                };
            };
        };
    };
    readActivity: {
        parameters: {
            query?: {
                window?: components["parameters"]["window"];
            };
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActivityAnswer"];
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503DatabaseEnvelopePermissionsSessionStore"];
        };
    };
    streamActivity: {
        parameters: {
            query?: {
                window?: components["parameters"]["window"];
            };
            header?: {
                "last-event-id"?: string;
                /** @description The `id` of the last event, of any node. */
                "Last-Event-ID"?: string;
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
                /** @description The request is sealed: its body, or its query parameter `__enc`, is an envelope. In mode REQUIRED every request needs it. The transport of a client sets it. */
                "Api-Encryption"?: components["parameters"]["Api-Encryption"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Events, until the session ends or the server stops. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["Refused400EnvelopeValidation"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            413: components["responses"]["Refused413EnvelopeTooLarge"];
            429: components["responses"]["Refused429SessionStreams"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503AuditDatabaseEnvelopePermissionsSessionStore"];
        };
    };
    readMetrics: {
        parameters: {
            query?: never;
            header?: {
                /** @description Chooses the language of `detail`: English or Chinese. */
                "Accept-Language"?: components["parameters"]["Accept-Language"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text format of Prometheus. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            400: components["responses"]["Refused400"];
            401: components["responses"]["Refused401AccountPasswordSessionToken"];
            403: components["responses"]["Refused403PasswordPermissionSecondSession"];
            429: components["responses"]["Refused429"];
            431: components["responses"]["Refused431"];
            500: components["responses"]["Refused500"];
            503: components["responses"]["Refused503DatabasePermissionsSessionStore"];
        };
    };
}

/** The routes that are sent in the clear in every encryption mode. */
export const UNSEALED_ROUTES: readonly string[] = [
  "/admin/storage/files POST",
  "/admin/storage/files/:id/content GET",
  "/app/storage/files POST",
  "/public/storage/preview GET",
  "/public/storage/download GET",
  "/admin/storage/simulate POST",
  "/admin/audit-records/export GET",
  "/dev/sms-outbox/page GET",
  "/encryption/public-key GET",
  "/actuator/health GET",
  "/actuator/health/liveness GET",
  "/actuator/health/readiness GET",
  "/actuator/metrics GET"
];
