window.YTD.tweets.part0 = [
  {
    "tweet": {
      "retweeted": false,
      "source": "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
      "entities": {
        "hashtags": [
          {
            "text": "breakfast",
            "indices": [
              "30",
              "40"
            ]
          }
        ],
        "symbols": [],
        "user_mentions": [
          {
            "name": "Ben Öz",
            "screen_name": "ben_oz",
            "id_str": "77"
          }
        ],
        "urls": [
          {
            "url": "https://t.co/aaaa",
            "expanded_url": "https://tea.example/?a=1&copy=2",
            "display_url": "tea.example"
          }
        ],
        "media": [
          {
            "url": "https://t.co/pppp",
            "expanded_url": "https://twitter.com/anna/status/1/photo/1",
            "type": "photo"
          }
        ]
      },
      "display_text_range": [
        "0",
        "10"
      ],
      "favorite_count": "3",
      "id_str": "1700000000000000001",
      "truncated": false,
      "retweet_count": "0",
      "id": "1700000000000000001",
      "created_at": "Sun Mar 31 00:59:59 +0000 2024",
      "favorited": false,
      "full_text": "Tea &amp; toast &lt;3 with @ben_oz #breakfast https://t.co/aaaa https://t.co/pppp",
      "lang": "en",
      "extended_entities": {
        "media": [
          {
            "url": "https://t.co/pppp",
            "type": "photo"
          },
          {
            "url": "https://t.co/pppp",
            "type": "photo"
          }
        ]
      }
    }
  },
  {
    "tweet": {
      "retweeted": false,
      "source": "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
      "entities": {
        "hashtags": [],
        "symbols": [],
        "user_mentions": [
          {
            "name": "",
            "screen_name": "ben_oz"
          }
        ],
        "urls": []
      },
      "display_text_range": [
        "0",
        "10"
      ],
      "favorite_count": "3",
      "id_str": "1700000000000000002",
      "truncated": false,
      "retweet_count": "0",
      "id": "1700000000000000002",
      "created_at": "Sun Mar 31 01:00:00 +0000 2024",
      "favorited": false,
      "full_text": "@ben_oz no, thank you",
      "lang": "en",
      "in_reply_to_screen_name": "ben_oz",
      "in_reply_to_status_id_str": "1699",
      "in_reply_to_user_id": "77"
    }
  },
  {
    "tweet": {
      "retweeted": false,
      "source": "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
      "entities": {
        "hashtags": [],
        "symbols": [],
        "user_mentions": [],
        "urls": []
      },
      "display_text_range": [
        "0",
        "10"
      ],
      "favorite_count": "3",
      "id_str": "1700000000000000003",
      "truncated": false,
      "retweet_count": "0",
      "id": "1700000000000000003",
      "created_at": "Sat Mar 30 12:00:00 +0000 2024",
      "favorited": false,
      "full_text": "RT @ben_oz: Look at this",
      "lang": "en"
    }
  },
  {
    "tweet": {
      "retweeted": false,
      "source": "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
      "entities": {
        "hashtags": [],
        "symbols": [],
        "user_mentions": [],
        "urls": []
      },
      "display_text_range": [
        "0",
        "10"
      ],
      "favorite_count": "3",
      "id_str": "1700000000000000005",
      "truncated": false,
      "retweet_count": "0",
      "id": "1700000000000000005",
      "created_at": "Fri Mar 29 12:10:00 +0000 2024",
      "favorited": false,
      "full_text": "A tweet, edited",
      "lang": "en",
      "edit_info": {
        "edit": {
          "initialTweetId": "1700000000000000004",
          "editControlInitial": {
            "editTweetIds": [
              "1700000000000000004",
              "1700000000000000005"
            ]
          }
        }
      }
    }
  },
  {
    "tweet": {
      "retweeted": false,
      "source": "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
      "entities": {
        "hashtags": [],
        "symbols": [],
        "user_mentions": [],
        "urls": []
      },
      "display_text_range": [
        "0",
        "10"
      ],
      "favorite_count": "3",
      "id_str": "1700000000000000004",
      "truncated": false,
      "retweet_count": "0",
      "id": "1700000000000000004",
      "created_at": "Fri Mar 29 12:00:00 +0000 2024",
      "favorited": false,
      "full_text": "A tweet, editd",
      "lang": "en",
      "edit_info": {
        "initial": {
          "editTweetIds": [
            "1700000000000000004",
            "1700000000000000005"
          ],
          "editableUntil": "2024-03-29T13:00:00.000Z"
        }
      }
    }
  },
  {
    "tweet": {
      "retweeted": false,
      "source": "<a href=\"http://twitter.com/download/iphone\" rel=\"nofollow\">Twitter for iPhone</a>",
      "entities": {
        "hashtags": [],
        "symbols": [],
        "user_mentions": [],
        "urls": []
      },
      "display_text_range": [
        "0",
        "10"
      ],
      "favorite_count": "3",
      "id_str": "1700000000000000006",
      "truncated": false,
      "retweet_count": "0",
      "id": "1700000000000000006",
      "created_at": "some day",
      "favorited": false,
      "full_text": "No date",
      "lang": "en"
    }
  },
  {
    "tweet": {
      "id_str": "7",
      "full_text": "No date at all"
    }
  },
  {
    "tweet": {
      "id_str": "8",
      "created_at": "Fri Mar 29 12:00:00 +0000 2024",
      "full_text": ""
    }
  }
]
