Feature: Who may use the service
  Every request needs an API key, and sees only the captures of the account of the key.

  Scenario: A request without a key, or with a wrong one, is refused
    When a stranger GETs "/v1/captures"
    Then the answer is 401 "unauthorized"
    When a stranger GETs "/v1/captures" with the header "Authorization: Bearer {key}x"
    Then the answer is 401 "unauthorized"
    When a stranger GETs "/v1/captures" with the header "Authorization: Bearer {key}"
    Then the answer is 200

  Scenario: What one account has captured does not exist for another one
    When I POST to "/v1/capture":
      """
      { "html": "<h1>Mine</h1>", "response": "json" }
      """
    Then the answer is 200
    Given I remember its "id" as "capture"
    When another account GETs "/v1/captures/{capture}"
    Then the answer is 404 "not_found"
    When another account GETs "/v1/captures/{capture}/result"
    Then the answer is 404 "not_found"
    When another account DELETEs "/v1/captures/{capture}"
    Then the answer is 404 "not_found"
    When another account GETs "/v1/captures"
    Then it has 0 "items"
    When I GET "/v1/captures/{capture}/result"
    Then the answer is 200 and a PNG of 1280 x 800 pixels

  Scenario: A link logs a browser in to the console, once
    When I POST "/console/log-ins"
    Then the answer is 201
    Given I remember its "url" as "link"
    When a browser GETs "/console/keys/{key id}/v1/usage"
    Then the answer is 401 "unauthorized"
    When a browser opens the link "{link}"
    Then the answer is 200
    And it says:
      | keys.0.id | {key id} |
    When a browser GETs "/console/keys/{key id}/v1/usage"
    Then the answer is 200
    And it says:
      | used | 0 |
    When a browser opens the link "{link}"
    Then the answer is 401 "unauthorized"
    When a browser DELETEs "/console/session"
    And a browser GETs "/console/keys/{key id}/v1/usage"
    Then the answer is 401 "unauthorized"
